let periodsShown = { bars: [], left: 0, step: 1 };

/** The days, or the weeks when there are many, also those without an event. */
function periods(width) {
  if (data.days.length === 0) return { bars: [], length: 1 };
  const day = 86400000;
  const first = Date.parse(data.days[0].day);
  const span = (Date.parse(data.days[data.days.length - 1].day) - first) / day + 1;
  const length = span > 90 ? 7 : 1;
  // Past what the width can tell apart, the oldest periods are left out.
  const count = Math.min(Math.ceil(span / length), Math.floor(width / 3));
  const skipped = Math.ceil(span / length) - count;
  const start = (at) => new Date(first + (at + skipped) * length * day).toISOString().slice(0, 10);
  const bars = Array.from({ length: count }, (_, at) => ({ day: start(at), surfaced: 0, drills: 0 }));
  for (const entry of data.days) {
    const bar = bars[Math.floor((Date.parse(entry.day) - first) / day / length) - skipped];
    if (!bar) continue;
    bar.surfaced += entry.surfaced;
    bar.drills += entry.drills;
  }
  return { bars, length };
}

function drawDays() {
  const { context, width, height, color } = prepared(byId("days"), 130);
  const { bars, length } = periods(width - 60);
  byId("days-title").textContent = length === 7 ? "Events a week" : "Events a day";
  const most = Math.max(1, ...bars.map((bar) => bar.surfaced + bar.drills));
  const [left, top, bottom] = [46, 12, height - 22];
  const step = Math.min(40, (width - left - 12) / Math.max(1, bars.length));
  periodsShown = { bars, left, step };
  const room = bottom - top;
  context.fillStyle = color("--faint");
  context.textAlign = "right";
  context.fillText(String(most), left - 6, top + 4);
  context.fillText("0", left - 6, bottom);
  context.textAlign = "left";
  bars.forEach((bar, at) => {
    const [x, wide] = [left + at * step, Math.max(1, step - 2)];
    const [opened, surfaced] = [(bar.drills / most) * room, (bar.surfaced / most) * room];
    if (bar.day === state.day) {
      context.fillStyle = color("--chosen");
      context.fillRect(x, top - 6, wide, bottom - top + 6);
    }
    context.fillStyle = color("--opened");
    context.fillRect(x, bottom - opened, wide, opened);
    context.strokeStyle = color("--surfaced");
    if (surfaced > 0) context.strokeRect(x + 0.5, bottom - opened - surfaced, Math.max(1, wide - 1), surfaced);
    context.fillStyle = color("--faint");
    const labelled = Math.ceil(90 / step);
    if (at % labelled === 0 && x + 70 < width) context.fillText(bar.day, x, height - 8);
  });
  context.strokeStyle = color("--line");
  context.strokeRect(left, bottom + 0.5, width - left - 12, 0);
  const told = bars.find((bar) => bar.day === state.day);
  const name = told && (length === 7 ? `The week from ${told.day}` : told.day);
  byId("day").textContent = told ? `${name}: surfaced ${told.surfaced}×, opened ${told.drills}×` : "A click or the arrow keys tell its numbers.";
}

function tellDay(bar) {
  if (!bar) return;
  state.day = bar.day;
  drawDays();
}

function daysClicked(event) {
  const { bars, left, step } = periodsShown;
  tellDay(bars[Math.floor((event.offsetX - left) / step)]);
}

function daysKey(event) {
  const { bars } = periodsShown;
  const last = bars.length - 1;
  const at = bars.findIndex((bar) => bar.day === state.day);
  const next = { ArrowLeft: at < 0 ? last : at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
  if (next === undefined) return;
  event.preventDefault();
  tellDay(bars[next]);
}

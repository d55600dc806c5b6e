const longestTable = 200;

function drawHead() {
  const row = byId("table").tHead.rows[0];
  row.replaceChildren();
  for (const column of columns) {
    const cell = element("th", undefined, column.className);
    const isSorted = state.sort === column.key;
    cell.setAttribute("aria-sort", isSorted ? (state.falling ? "descending" : "ascending") : "none");
    const button = element("button", column.title);
    button.type = "button";
    if (isSorted) {
      const arrow = element("span", state.falling ? " ▾" : " ▴");
      arrow.setAttribute("aria-hidden", "true");
      button.append(arrow);
    }
    button.addEventListener("click", () => {
      state.falling = isSorted ? !state.falling : Boolean(column.isNumber) || column.key === "last";
      state.sort = column.key;
      draw();
    });
    cell.append(button);
    row.append(cell);
  }
}

function drawTable(sessions) {
  const held = document.activeElement || document.body;
  const column = heads().indexOf(held);
  drawHead();
  const rows = sorted(sessions).slice(0, longestTable).map(tableRow);
  byId("table").tBodies[0].replaceChildren(...rows);
  const same = held.dataset.session && rowOf(held.dataset.session);
  const reachable = same || rows.find((row) => row.getAttribute("aria-selected") === "true") || rows[0];
  if (reachable) reachable.tabIndex = 0;
  // What had the focus was thrown away with the old table.
  const heir = column >= 0 ? heads()[column] : held.dataset.session && reachable;
  if (heir) heir.focus({ preventScroll: true });
  const left = sessions.length - rows.length;
  byId("more").textContent = left > 0 ? `${left} more: filter or sort to see them` : "";
}

const heads = () => Array.from(byId("table").tHead.querySelectorAll("button"));

const rowOf = (session) => Array.from(byId("table").tBodies[0].rows).find((row) => row.dataset.session === session);

function tableRow(session) {
  const row = element("tr");
  row.tabIndex = -1;
  row.dataset.session = session.session_id;
  row.setAttribute("aria-selected", String(isChosen("session", session.session_id)));
  for (const column of columns) {
    row.append(element("td", String(column.value(session)), column.className));
  }
  row.addEventListener("click", () => chooseRow(row));
  row.addEventListener("keydown", (event) => {
    const [first, last] = [row.parentNode.firstChild, row.parentNode.lastChild];
    const [below, above] = [row.nextSibling, row.previousSibling];
    const next = { ArrowDown: below, ArrowUp: above, Home: first, End: last, Enter: row, " ": row }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next) chooseRow(next);
  });
  return row;
}

function chooseRow(row) {
  const session = row.dataset.session;
  choose("session", session);
  rowOf(session)?.focus();
}

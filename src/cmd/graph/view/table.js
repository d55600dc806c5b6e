const longestTable = 200;

function drawHead() {
  const row = byId("table").tHead.rows[0];
  row.replaceChildren();
  for (const column of columns) {
    const cell = element("th", undefined, column.isNumber ? "number" : "");
    const isSorted = state.sort === column.key;
    cell.setAttribute("aria-sort", isSorted ? (state.falling ? "descending" : "ascending") : "none");
    const button = element("button", column.title + (isSorted ? (state.falling ? " ▾" : " ▴") : ""));
    button.type = "button";
    button.addEventListener("click", () => {
      state.falling = isSorted ? !state.falling : Boolean(column.isNumber) || column.key === "last";
      state.sort = column.key;
      draw();
      byId("table").tHead.querySelectorAll("button")[columns.indexOf(column)].focus();
    });
    cell.append(button);
    row.append(cell);
  }
}

function drawTable(sessions) {
  drawHead();
  const rows = sorted(sessions).slice(0, longestTable).map(tableRow);
  byId("table").tBodies[0].replaceChildren(...rows);
  const isChosen = (row) => row.getAttribute("aria-selected") === "true";
  const reachable = rows.find(isChosen) || rows[0];
  if (reachable) reachable.tabIndex = 0;
  const left = sessions.length - rows.length;
  byId("more").textContent = left > 0 ? `${left} more: filter or sort to see them` : "";
}

function tableRow(session) {
  const row = element("tr");
  row.tabIndex = -1;
  row.dataset.session = session.session_id;
  row.setAttribute("aria-selected", String(isChosen("session", session.session_id)));
  for (const column of columns) {
    row.append(element("td", String(column.value(session)), column.isNumber ? "number" : ""));
  }
  row.addEventListener("click", () => chooseRow(row));
  row.addEventListener("keydown", (event) => {
    const next = { ArrowDown: row.nextSibling, ArrowUp: row.previousSibling, Enter: row, " ": row }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next) chooseRow(next);
  });
  return row;
}

function chooseRow(row) {
  const session = row.dataset.session;
  choose("session", session);
  const rows = Array.from(byId("table").tBodies[0].rows);
  rows.find((other) => other.dataset.session === session)?.focus();
}

function isChosen(kind, key) {
  return state.chosen !== null && state.chosen.kind === kind && state.chosen.key === key;
}

function choose(kind, key) {
  state.chosen = { kind, key };
  draw();
}

function setFilter(text) {
  state.filter = text;
  draw();
}

/** Escape empties the filter that one stands in, else it takes the selection back. */
function escaped(event) {
  if (event.key !== "Escape") return;
  if (event.target === byId("filter") && state.filter !== "") {
    event.preventDefault();
    event.target.value = "";
    return setFilter("");
  }
  state.chosen = null;
  state.day = null;
  draw();
}

function draw() {
  const sessions = matching();
  drawGraph(sessions);
  drawDays();
  drawTable(sessions);
  drawDetails();
  const total = `${data.sessions.length} sessions, ${allQueries.size} queries`;
  byId("summary").textContent = state.filter ? `${sessions.length} of ${total}` : total;
}

function drawDetails() {
  const panel = byId("details");
  panel.replaceChildren(element("h2", "Selection"));
  if (state.chosen === null) {
    panel.append(element("p", "Choose a query or a session in the graph or the table, by a click or with the arrow keys. Escape takes it back.", "note"));
  } else if (state.chosen.kind === "session") {
    const session = data.sessions.find((s) => s.session_id === state.chosen.key);
    if (session) sessionDetails(panel, session);
  } else {
    const query = allQueries.get(state.chosen.key);
    if (query) queryDetails(panel, query);
  }
}

function sessionDetails(panel, session) {
  panel.append(element("h3", `Session ${nameOf(session)}`));
  if (session.handle) panel.append(element("p", session.session_id, "note"));
  panel.append(element("p", `reached ${session.count}×: surfaced ${session.surfaced}×, drilled ${session.drills}×; last ${when(session.last_at)}`));
  panel.append(element("p", `rekal query -s ${nameOf(session)}`, "note"));
  panel.append(element("h3", "Queries that reached it"));
  panel.append(list(session.queries, (edge) => `${edge.query || "(blank)"}: surfaced ${edge.count}×${edge.led ? `, opened ${edge.led}×` : ""}`));
}

function queryDetails(panel, query) {
  panel.append(element("h3", `Query “${query.query || "(blank)"}”`));
  panel.append(element("p", `surfaced sessions ${query.count}×, led to an opening ${query.led}×`));
  panel.append(element("h3", "Sessions that it reached"));
  const edges = query.edges.slice().sort((a, b) => b.led - a.led || b.count - a.count);
  panel.append(list(edges, (edge) => `${nameOf(edge.session)}: surfaced ${edge.count}×${edge.led ? `, opened ${edge.led}×` : ""}`));
}

function list(items, text) {
  const longest = 100;
  const made = element("ul");
  made.append(...items.slice(0, longest).map((item) => element("li", text(item))));
  if (items.length > longest) made.append(element("li", `and ${items.length - longest} more`));
  return made;
}

/** An address may end in `#filter=jwt&session=s5`. */
function readAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  state.filter = wanted.get("filter") || "";
  byId("filter").value = state.filter;
  const named = wanted.get("session");
  const session = data.sessions.find((s) => s.handle === named || s.session_id === named);
  if (session) state.chosen = { kind: "session", key: session.session_id };
}

function start() {
  const isEmpty = data.sessions.length === 0;
  byId("empty").hidden = !isEmpty;
  byId("main").hidden = isEmpty;
  byId("controls").hidden = isEmpty;
  readAddress();
  byId("filter").addEventListener("input", (event) => setFilter(event.target.value));
  byId("most").addEventListener("change", (event) => {
    state.most = Number(event.target.value);
    draw();
  });
  byId("graph").addEventListener("click", graphClicked);
  byId("graph").addEventListener("keydown", graphKey);
  byId("days").addEventListener("click", daysClicked);
  byId("days").addEventListener("keydown", daysKey);
  document.addEventListener("keydown", escaped);
  for (const happens of ["resize", "hashchange"]) {
    window.addEventListener(happens, () => {
      if (happens === "hashchange") readAddress();
      draw();
    });
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}

start();

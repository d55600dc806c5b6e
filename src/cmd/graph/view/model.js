"use strict";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);

/** Everything that is shown; what is chosen of it: { kind: "session" | "query", key }; and the day whose numbers are told. */
const state = { filter: "", most: 20, sort: "drills", falling: true, chosen: null, day: null };

/** Only this makes elements, and only out of text. */
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function nameOf(session) {
  return session.handle || session.session_id;
}

function short(text, longest) {
  const letters = Array.from(text);
  return letters.length > longest ? letters.slice(0, longest - 1).join("") + "…" : text;
}

const when = (time) => time.slice(0, 16).replace("T", " ");

/** Each query with the sessions that it reached. */
function queriesOf(sessions) {
  const queries = new Map();
  for (const session of sessions) {
    for (const edge of session.queries) {
      if (!queries.has(edge.query)) queries.set(edge.query, { query: edge.query, count: 0, led: 0, edges: [] });
      const query = queries.get(edge.query);
      query.count += edge.count;
      query.led += edge.led;
      query.edges.push({ session, count: edge.count, led: edge.led });
    }
  }
  return queries;
}

const allQueries = queriesOf(data.sessions);

/** A session matches with all its queries by its name, else with those that match. */
function matching() {
  const wanted = state.filter.trim().toLowerCase();
  const has = (text) => (text || "").toLowerCase().includes(wanted);
  const found = [];
  for (const session of data.sessions) {
    const named = has(session.handle) || has(session.session_id);
    const queries = named ? session.queries : session.queries.filter((edge) => has(edge.query));
    if (named || queries.length > 0) found.push({ ...session, queries });
  }
  return found;
}

const columns = [
  { key: "session", title: "Session", value: (s) => nameOf(s) },
  { key: "count", title: "Reached", value: (s) => s.count, isNumber: true, className: "number" },
  { key: "drills", title: "Drilled", value: (s) => s.drills, isNumber: true, className: "number" },
  { key: "query", title: "Top query", value: (s) => s.top_query || "", className: "query" },
  { key: "last", title: "Last", value: (s) => when(s.last_at), className: "time" },
];

function sorted(sessions) {
  const column = columns.find((c) => c.key === state.sort);
  const compare = (a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    const order = column.isNumber ? x - y : x.localeCompare(y, "en", { numeric: true });
    return (state.falling ? -order : order) || b.count - a.count;
  };
  return sessions.slice().sort(compare);
}

const rowHeight = 22;
const leastOfChosen = 8;
let placed = [];

/** A canvas that is sharp on its screen, with the page's colours. */
function prepared(canvas, height) {
  const width = canvas.clientWidth || 600;
  const scale = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  const style = getComputedStyle(document.documentElement);
  return { context, width, height, color: (name) => style.getPropertyValue(name).trim() };
}

/** The most used sessions on the right; on the left the queries that lead to them, near what they reached. */
function chosenNodes(sessions) {
  const most = byUse(sessions).slice(0, state.most);
  const chosen = sessions.find((session) => isChosen("session", session.session_id));
  if (chosen && !most.includes(chosen)) most.push(chosen);
  const found = Array.from(queriesOf(most).values());
  found.sort((a, b) => b.led - a.led || b.count - a.count);
  const queries = mostUsed(found, state.most + 8);
  const places = new Map(most.map((session, at) => [session.session_id, at]));
  for (const query of queries) {
    const weighed = query.edges.map((e) => [places.get(e.session.session_id), e.count + 3 * e.led]);
    const weight = weighed.reduce((sum, [, w]) => sum + w, 0);
    query.place = weighed.reduce((sum, [place, w]) => sum + place * w, 0) / weight;
  }
  queries.sort((a, b) => a.place - b.place);
  return { most, queries, left: found.length - queries.length };
}

/** The first ones. Some that belong to what is chosen take the places of the last. */
function mostUsed(found, room) {
  const belongs = (query) => isChosen("query", query.query) || query.edges.some((e) => isChosen("session", e.session.session_id));
  const first = found.slice(0, room);
  const [own, others] = [first.filter(belongs), first.filter((query) => !belongs(query))];
  const added = found.slice(room).filter(belongs).slice(0, Math.max(0, leastOfChosen - own.length));
  return own.concat(added, others.slice(0, others.length - added.length));
}

function byUse(sessions) {
  return sessions.slice().sort((a, b) => b.drills - a.drills || b.count - a.count);
}

function drawGraph(sessions) {
  const { most, queries, left } = chosenNodes(sessions);
  const rows = Math.max(most.length, queries.length, 4);
  const view = prepared(byId("graph"), rows * rowHeight + 24);
  const spread = (at, of) => 12 + ((at + 0.5) * rows * rowHeight) / Math.max(1, of);
  const [queryX, sessionX] = [view.width * 0.4, view.width * 0.72];
  placed = [
    ...queries.map((q, at) => ({ kind: "query", key: q.query, x: queryX, y: spread(at, queries.length), of: q })),
    ...most.map((s, at) => ({ kind: "session", key: s.session_id, x: sessionX, y: spread(at, most.length), of: s })),
  ];
  const lit = drawEdges(view);
  for (const node of placed) drawNode(view, node, lit.size === 0 || lit.has(node));
  const hidden = sessions.length - most.length;
  byId("shown").textContent = hidden + left > 0 ? `Not shown: ${hidden} sessions and ${left} queries that are used less` : "";
}

/** Gives the nodes at the ends of the edges of what is chosen. */
function drawEdges({ context, color }) {
  const ends = new Map(placed.filter((n) => n.kind === "session").map((n) => [n.key, n]));
  const edges = [];
  for (const from of placed.filter((n) => n.kind === "query")) {
    for (const edge of from.of.edges) {
      const to = ends.get(edge.session.session_id);
      const isLit = isChosen("query", from.key) || isChosen("session", to.key);
      edges.push({ from, to, led: edge.led, isLit, layer: (edge.led > 0 ? 1 : 0) + (isLit ? 2 : 0) });
    }
  }
  const lit = new Set(edges.filter((edge) => edge.isLit).flatMap((edge) => [edge.from, edge.to]));
  edges.sort((a, b) => a.layer - b.layer);
  for (const { from, to, led, isLit } of edges) {
    context.globalAlpha = isLit ? 1 : lit.size > 0 ? 0.18 : led > 0 ? 0.85 : 0.65;
    context.strokeStyle = color(led > 0 ? "--opened" : "--surfaced");
    context.lineWidth = led > 0 ? Math.min(6, 2 + led) : isLit ? 1.5 : 1;
    context.setLineDash(led > 0 ? [] : [4, 4]);
    const bend = (to.x - from.x) / 2;
    context.beginPath();
    context.moveTo(from.x + 6, from.y);
    context.bezierCurveTo(from.x + bend, from.y, to.x - bend, to.y, to.x - 6, to.y);
    context.stroke();
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
  return lit;
}

function drawNode({ context, width, color }, node, isLit) {
  const isQuery = node.kind === "query";
  const room = isQuery ? node.x - 20 : width - node.x - 20;
  if (isChosen(node.kind, node.key)) {
    context.fillStyle = color("--chosen");
    context.fillRect(isQuery ? 4 : node.x - 8, node.y - 10, isQuery ? node.x + 4 : width - node.x + 4, 20);
  }
  context.fillStyle = color(isQuery ? "--query" : "--session");
  context.beginPath();
  if (isQuery) context.arc(node.x, node.y, 5, 0, 7);
  else context.rect(node.x - 5, node.y - 5, 10, 10);
  context.fill();
  context.fillStyle = color(isLit ? "--text" : "--faint");
  context.textAlign = isQuery ? "right" : "left";
  const texts = isQuery ? [node.key || "(blank)"] : sessionTexts(node.of);
  const fits = texts.find((text) => context.measureText(text).width <= room);
  context.fillText(fits || fitted(context, texts[texts.length - 1], room), node.x + (isQuery ? -12 : 12), node.y);
}

/** What is said of a session, the longest first. */
function sessionTexts(session) {
  const name = short(nameOf(session), 12);
  return [`${name}: ${session.count}×, ${session.drills} drilled`, `${name}: ${session.count}×/${session.drills}`];
}

function fitted(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  let letters = Array.from(text).slice(0, 200);
  while (letters.length > 1 && context.measureText(letters.join("") + "…").width > room) letters = letters.slice(0, -1);
  return letters.join("") + "…";
}

function graphClicked(event) {
  const near = placed.map((node) => {
    const onItsSide = node.kind === "query" ? event.offsetX <= node.x + 12 : event.offsetX >= node.x - 12;
    return { node, far: onItsSide ? Math.abs(node.y - event.offsetY) : Infinity };
  });
  near.sort((a, b) => a.far - b.far);
  if (near.length > 0 && near[0].far < rowHeight) choose(near[0].node.kind, near[0].node.key);
}

/** Up and down within a column, left and right to the nearest of the other one. */
function graphKey(event) {
  const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: "query", ArrowRight: "session" }[event.key];
  if (step === undefined || placed.length === 0) return;
  event.preventDefault();
  const at = placed.findIndex((node) => isChosen(node.kind, node.key));
  const own = placed[at] || placed[0];
  const column = placed.filter((node) => node.kind === (typeof step === "string" ? step : own.kind));
  const nearest = (best, node) => (Math.abs(node.y - own.y) < Math.abs(best.y - own.y) ? node : best);
  const next = at < 0 ? own : typeof step === "string" ? column.reduce(nearest, column[0]) : column[column.indexOf(own) + step];
  if (next) choose(next.kind, next.key);
  scrollToChosen();
}

/** A long graph is higher than the window. */
function scrollToChosen() {
  const node = placed.find((n) => isChosen(n.kind, n.key));
  if (!node) return;
  const y = byId("graph").getBoundingClientRect().top + node.y;
  const margin = 2 * rowHeight;
  if (y < margin) window.scrollBy(0, y - margin);
  if (y > window.innerHeight - margin) window.scrollBy(0, y - window.innerHeight + margin);
}

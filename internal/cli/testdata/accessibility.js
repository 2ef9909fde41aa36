// Looks at a page as somebody does who sees little, hears it or uses the keyboard
// alone, and returns what is in their way, one sentence each.
(() => {
	const found = [];
	const say = (what, el) => found.push(what + (el ? ": " + el.outerHTML.replace(/\s+/g, " ").slice(0, 140) : ""));
	const all = (selector) => [...document.querySelectorAll(selector)];
	const visible = (el) => { const r = el.getBoundingClientRect(), s = getComputedStyle(el); return r.width > 0 && r.height > 0 && s.visibility !== "hidden"; };
	const name = (el) => (el.getAttribute("aria-label") || el.innerText || el.textContent || "").trim();
	if (!document.documentElement.lang) say("the page names no language");
	if (!document.title.trim()) say("the page has no title");
	if (all("main").length !== 1) say("there is not one main part");
	if (all("h1").length !== 1) say("there is not one first heading");
	all("nav").forEach((n) => n.getAttribute("aria-label") || say("a list of pages without a name", n));
	let level = 0;
	all("h1,h2,h3,h4,h5,h6").forEach((h) => { const n = +h.tagName[1]; if (n > level + 1) say("a level of headings is skipped", h); if (!name(h)) say("an empty heading", h); level = n; });
	all("input:not([type=hidden]),select,textarea").forEach((f) => { if (!(f.labels && f.labels.length && name(f.labels[0])) && !f.getAttribute("aria-label")) say("a field without a name", f); });
	all("a[href],button,summary").forEach((b) => name(b) || say("nothing to read on it", b));
	all("th").forEach((h) => h.scope || say("a head of a table that does not say for what", h));
	all("table").forEach((t) => t.querySelector("th") || say("a table without heads", t));
	all("svg").forEach((s) => (s.getAttribute("role") === "img" && s.getAttribute("aria-label")) || say("a picture without words", s));
	all("[tabindex]").forEach((e) => e.tabIndex > 0 && say("an order of its own", e));
	all("[aria-describedby]").forEach((e) => document.getElementById(e.getAttribute("aria-describedby")) || say("a description that is not there", e));
	const ids = {};
	all("[id]").forEach((e) => { if (ids[e.id]) say("an id that is there twice", e); ids[e.id] = true; });
	if (document.documentElement.scrollWidth > innerWidth + 1) say("the page is wider than the window: " + document.documentElement.scrollWidth);
	const rgb = (text) => { const m = text.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
	const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
	const back = (el) => { for (let e = el; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return rgb(getComputedStyle(document.documentElement).backgroundColor); };
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		const el = n.parentElement;
		if (!n.data.trim() || !visible(el) || el.closest("svg title,option,.skip")) continue;
		const style = getComputedStyle(el), front = el.closest("svg") ? rgb(style.fill) : rgb(style.color);
		const a = light(front), b = light(back(el)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
		if (ratio < (large ? 3 : 4.5)) say("hard to read, contrast " + ratio.toFixed(2), el);
	}
	all("button,input:not([type=hidden]),select,textarea").forEach((e) => { if (visible(e) && e.getBoundingClientRect().height < 17) say("too small to hit", e); });
	return found;
})()

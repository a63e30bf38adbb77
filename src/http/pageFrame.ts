import { createHash } from 'node:crypto'

/** The dashboard's colours (dashboard/window/style/theme.css), whose files are not served to pages without scripts. */
const theme = `
:root { color-scheme: light dark; --ground: light-dark(#f6f7f8, #0f1214); --card: light-dark(#ffffff, #16191d); --sunken: light-dark(#f1f3f4, #121518);
  --ink: light-dark(#15191d, #e9ecef); --soft: light-dark(#59626c, #9aa4af); --line: light-dark(#e4e7ea, #262b31); --line-strong: light-dark(#c8ced4, #3a424b);
  --accent: light-dark(#0b6e4f, #5fd0a5); --accent-strong: light-dark(#085a40, #7fdcb8); --on-accent: light-dark(#ffffff, #05231a); --accent-soft: light-dark(#e6f3ee, #14302a);
  --bad: light-dark(#b3261e, #f58d85); --wait: light-dark(#8a5200, #e8b65a); --wait-soft: light-dark(#fdf4e3, #2f2615) }
`

/** The dashboard's frame for other pages: mark, top bar and fonts. */
export const frameStyle = `${theme}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 14px/20px Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
a { color: var(--accent); text-underline-offset: 3px; text-decoration-thickness: 1px }
.top { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 4px 24px; min-height: 56px; padding: 8px 24px; background: var(--ground); border-bottom: 1px solid var(--line) }
.top nav { display: flex; flex-wrap: wrap; gap: 4px 20px } .top nav a { padding: 4px 0; color: var(--soft); text-decoration: none } .top nav a:hover, .top nav a[aria-current] { color: var(--ink) } .top nav a[aria-current] { font-weight: 600 }
.brand { position: relative; padding-left: 28px; color: var(--ink); font-size: 15px; font-weight: 650; letter-spacing: -0.015em; text-decoration: none }
.brand::before, .brand::after { content: ""; position: absolute; left: 0; top: 50%; width: 20px; height: 20px; margin-top: -10px; border-radius: 6px; background: var(--accent) }
.brand::after { left: 6px; width: 8px; height: 10px; margin-top: -5px; background: none; border: 2px solid var(--on-accent); border-bottom: 0; border-radius: 6px 6px 0 0 }
`

/** The style that all text pages share. */
export const sharedStyle = `${frameStyle}
main { max-width: 52rem; margin: 0 auto; padding: clamp(1.25rem, 4vw, 2.5rem) 1.5rem; font-size: 15px; line-height: 24px }
h1 { margin: 0; font-size: 24px; line-height: 32px; font-weight: 650; letter-spacing: -0.021em } h2 { margin: 2.25rem 0 0.75rem; font-size: 1rem }
p { margin: 0.25rem 0 0; color: var(--soft) }
.running::before { content: ""; display: inline-block; width: 0.6em; height: 0.6em; margin-right: 0.5em; border-radius: 50%; background: var(--accent) }
dl, ol { margin: 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px }
ol { padding-left: 2.5rem } li + li { margin-top: 0.75rem } dl + dl { margin-top: 0.75rem }
dt { color: var(--soft); font-size: 0.875rem } dd { margin: 0 0 0.5rem; overflow-wrap: anywhere } dd:last-child { margin: 0 } code { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere }
`

type Link = readonly [path: string, text: string]

const links: readonly Link[] = [
  ['/docs/manual', 'Manual'],
  ['/docs', 'API reference'],
  ['/docs/events', 'Events'],
  ['/docs/providers', 'Providers'],
  ['/dashboard', 'Dashboard'],
]

/** The top bar of the reference and manual pages. `more`: links of the page itself. */
export const topBar = (shown: string, more: readonly Link[] = []): string =>
  `<header class="top"><a class="brand" href="/">Aglet</a><nav aria-label="Pages">${[...links, ...more]
    .map(([path, text]) => `<a href="${path}"${path === shown ? ' aria-current="page"' : ''}>${text}</a>`)
    .join('')}</nav></header>`

type PageParts = { title: string; style: string; head?: string; body: string }

/** A whole page. Its texts are already escaped. */
export const pageHtml = ({ title, style, head = '', body }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

/** The Content-Security-Policy source that allows one inline style or script. */
export const hashSource = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

type HtmlReply = {
  type(type: string): HtmlReply
  header(name: string, value: string): HtmlReply
  send(html: string): unknown
}

export const sendHtml = (reply: HtmlReply, policy: string, html: string) =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html)

import { createHash } from 'node:crypto'
import { escapeHtml, sharedStyle as shared } from '#http/statusPage.ts'

/** HTML that is inserted without escaping. */
export type Html = { readonly html: string }
type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

function renderPart(part: HtmlPart): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(`${part}`)
  return 'html' in part ? part.html : part.map(renderPart).join('')
}

/** A template whose values are escaped, unless they are `Html`. */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html => ({
  html: texts.reduce((before, text, at) => before + renderPart(parts[at - 1]) + text),
})

const pageStyle = `
main.narrow { max-width: 27rem } h1 { line-height: 1.25 } h1 + form, h1 + p, p + form { margin-top: 1.5rem }
.mark { margin: 0 0 1.25rem; color: var(--soft); font-size: 0.875rem; letter-spacing: 0.02em } .mark b { color: var(--ink) }
.card { padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem } .card + .card { margin-top: 0.75rem } .card + p, label + p, p + .notice, p + .error { margin-top: 1rem }
label { display: block; margin-top: 1rem; font-size: 0.875rem; color: var(--soft) } .card > label:first-child, form > label:first-child, input[type="hidden"] + label { margin-top: 0 }
input, select { display: block; width: 100%; margin-top: 0.25rem; padding: 0.6rem 0.75rem; font: inherit; color: var(--ink);
  background: var(--ground); border: 1px solid var(--line); border-radius: 0.5rem }
input:focus-visible, select:focus-visible, button:focus-visible, a:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px }
button { margin-top: 1.25rem; padding: 0.6rem 1.1rem; font: inherit; font-weight: 600; color: var(--on-mark); background: var(--mark);
  border: 1px solid var(--mark); border-radius: 0.5rem; cursor: pointer }
button.quiet { color: var(--ink); background: transparent; border-color: var(--line); font-weight: 400 } button.wide { width: 100% }
.row { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between } .row button, .row select { margin: 0; padding: 0.45rem 0.75rem; width: auto }
.row + .row { margin-top: 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line) } .row form { display: flex; flex-wrap: wrap; gap: 0.5rem }
.who { min-width: 0; overflow-wrap: anywhere } .who small { display: block; color: var(--soft) }
.notice, .error { padding: 0.75rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--mark); border-radius: 0.5rem; background: var(--card); color: var(--ink); overflow-wrap: anywhere }
.error { border-left-color: var(--error) } .notice + *, .error + * { margin-top: 1rem }
ul.plain { margin: 0.75rem 0 0; padding: 0; list-style: none } ul.plain li { margin: 0; padding: 0.4rem 0; border-top: 1px solid var(--line) } ul.plain li:first-child { border: 0 }
li small { color: var(--soft) } .actions { display: flex; flex-wrap: wrap; gap: 0.75rem } .actions button { flex: 1 1 8rem }
:root { --on-mark: #fff; --error: #b3261e } @media (prefers-color-scheme: dark) { :root { --on-mark: #0c2219; --error: #f2857c } }
`
const style = shared + pageStyle
const styleHash = createHash('sha256').update(style).digest('base64')

/** A page may load only its own style. Its forms may go to its own origin and to `formTargets`. */
export const contentSecurityPolicy = (formTargets: readonly string[] = []) =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets].join(' ')}`

export type HtmlPage = {
  title: string
  environment: string
  body: Html
  /** The narrow layout, for forms. */
  isNarrow?: boolean
}

/** A complete page without scripts. */
export const renderPage = ({ title, environment, body, isNarrow = true }: HtmlPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Aglet</title>
<style>${style}</style>
</head>
<body>
<main${isNarrow ? ' class="narrow"' : ''}>
<p class="mark"><b>Aglet</b>${environment === 'sandbox' ? ' · sandbox' : ''}</p>
<h1>${escapeHtml(title)}</h1>
${body.html}
</main>
</body>
</html>
`

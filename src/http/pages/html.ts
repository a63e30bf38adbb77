import { createHash } from 'node:crypto'
import { safe, style as shared } from '../page.ts'

/** HTML that may stand as it is. */
export type Html = { readonly html: string }
type Part = Html | string | number | undefined | false | readonly Part[]

function write(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return safe(`${part}`)
  return 'html' in part ? part.html : part.map(write).join('')
}

/** A template whose values are text, unless they are HTML themselves. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.reduce((before, text, at) => before + write(parts[at - 1]) + text),
})

const own = `
main.narrow { max-width: 27rem } h1 { line-height: 1.25 } h1 + form, h1 + p, p + form { margin-top: 1.5rem }
.mark { margin: 0 0 1.25rem; color: var(--soft); font-size: 0.875rem; letter-spacing: 0.02em } .mark b { color: var(--ink) }
.card { padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem } .card + .card { margin-top: 0.75rem } .card + p, label + p, p + .told, p + .wrong { margin-top: 1rem }
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
.told, .wrong { padding: 0.75rem 1rem; border: 1px solid var(--line); border-left: 4px solid var(--mark); border-radius: 0.5rem; background: var(--card); color: var(--ink); overflow-wrap: anywhere }
.wrong { border-left-color: var(--wrong) } .told + *, .wrong + * { margin-top: 1rem }
ul.plain { margin: 0.75rem 0 0; padding: 0; list-style: none } ul.plain li { margin: 0; padding: 0.4rem 0; border-top: 1px solid var(--line) } ul.plain li:first-child { border: 0 }
li small { color: var(--soft) } .actions { display: flex; flex-wrap: wrap; gap: 0.75rem } .actions button { flex: 1 1 8rem }
:root { --on-mark: #fff; --wrong: #b3261e } @media (prefers-color-scheme: dark) { :root { --on-mark: #0c2219; --wrong: #f2857c } }
`
const style = shared + own
const styleHash = createHash('sha256').update(style).digest('base64')

/** What a page may load and where its forms may go: its own style, and `formTargets` beside its own origin. */
export const policyOf = (formTargets: readonly string[] = []) =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'; form-action ${["'self'", ...formTargets].join(' ')}`

export type Page = {
  title: string
  environment: string
  body: Html
  /** a form rather than a list */
  isNarrow?: boolean
}

/** A whole page. It runs no script. */
export const pageHtml = ({ title, environment, body, isNarrow = true }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${safe(title)} · Aglet</title>
<style>${style}</style>
</head>
<body>
<main${isNarrow ? ' class="narrow"' : ''}>
<p class="mark"><b>Aglet</b>${environment === 'sandbox' ? ' · sandbox' : ''}</p>
<h1>${safe(title)}</h1>
${body.html}
</main>
</body>
</html>
`

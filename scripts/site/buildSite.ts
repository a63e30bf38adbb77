import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { build } from 'esbuild'
import { manualJobs, type SearchedPage, toSearchedPage } from '#http/manualContents.ts'
import { sharedStyle } from '#http/pageFrame.ts'
import { textStyle } from '#http/referencePage.ts'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { type ManualPage, renderManualPage } from '../manual.ts'

type SiteOptions = {
  /** The folder of the Markdown pages. */
  docs: string
  /** The folder that is written. */
  out: string
  version: string
  /** Where to report vulnerabilities: an https or mailto address. Without it there is no security.txt. */
  contact?: string | undefined
}
type SitePage = ManualPage & { path: string }

const style = `${sharedStyle}${textStyle}
.top [role="search"] { margin: 0 0 0 auto } .top input { width: min(16rem, 60vw) }
.layout { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto } .layout main { margin: 0; max-width: 56rem; width: 100% }
.contents { padding: 24px 0 24px 24px; font-size: 14px } .contents h2 { margin: 16px 0 4px; font-size: 12px; color: var(--soft) } .contents ul { margin: 0; padding: 0; list-style: none } .contents a { color: inherit; text-decoration: none; display: block; padding: 2px 8px; border-radius: 4px } .contents a:hover, .contents a[aria-current] { background: var(--accent-soft) }
#found:not(:empty) { margin-bottom: 2rem; padding-bottom: 1rem; border-bottom: 1px solid var(--line) } #found li + li { margin-top: 0.75rem }
@media (max-width: 60rem) { .layout { grid-template-columns: minmax(0, 1fr) } .contents { display: none } .at-start .contents { display: block; padding: 0 24px } }
`
/** Allows only the site's own scripts, styles and pictures. */
const policy =
  "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"

/** The relative path from a page to the root of the site: `../` for `decisions/0001-x`. */
const rootOf = (path: string) => '../'.repeat(path.split('/').length - 1)

/** Replaces addresses of the server's manual, `/docs/replay#limits`, by files: `replay.html#limits`. */
const toFiles = (html: string, path: string) =>
  html.replace(/(href|src|srcset)="\/docs\/([^"#]*)(#[^"]*)?"/g, (_, name: string, target: string, anchor = '') => {
    const file = target.startsWith('images/') ? target : `${target}.html`
    return `${name}="${rootOf(path)}${file}${anchor}"`
  })

const isDecision = (path: string) => path.startsWith('decisions/')

/** The list of pages by job; decisions come last. */
function contentsHtml(pages: readonly SitePage[], shown: string): string {
  const titles = new Map(pages.map(({ path, title }) => [path, title]))
  const jobs = [...manualJobs, ['Decisions', pages.map(({ path }) => path).filter(isDecision)] as const]
  const link = (path: string) =>
    `<li><a href="${rootOf(shown)}${path}.html"${path === shown ? ' aria-current="page"' : ''}>${escapeHtml(titles.get(path)!)}</a></li>`
  return jobs
    .map(
      ([job, paths]) =>
        `<h2>${escapeHtml(job)}</h2><ul>${paths
          .filter((path) => titles.has(path))
          .map(link)
          .join('')}</ul>`,
    )
    .join('\n')
}

function pageHtml({ path, title, html }: SitePage, pages: readonly SitePage[], version: string): string {
  const root = rootOf(path)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escapeHtml(title)} · Aglet ${escapeHtml(version)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}site.css">
<script src="${root}search.js" data-root="${root}" defer></script>
</head>
<body${path === 'index' ? ' class="at-start"' : ''}>
<header class="top"><a class="brand" href="${root}index.html">Aglet</a><span>${escapeHtml(version)}</span>
<form role="search"><label>Search <input type="search" maxlength="100"></label></form></header>
<div class="layout">
<nav class="contents" aria-label="Pages">${contentsHtml(pages, path)}</nav>
<main><div id="found" role="status"></div>
<h1>${escapeHtml(title)}</h1>
${toFiles(html, path)}
</main>
</div>
</body>
</html>
`
}

const yearMs = 365 * 86_400_000

/** RFC 9116. Releases are made more often than once a year. */
const securityText = (contact: string, now: Date) =>
  `Contact: ${contact}\nExpires: ${new Date(now.getTime() + yearMs).toISOString()}\nPreferred-Languages: en, de\n`

/** The start page: what Aglet is, from the README. */
function startPage(readme: string, paths: readonly string[]): SitePage {
  const about = readme.slice(0, readme.indexOf('\n## Start')).replaceAll('docs/', '')
  const { html } = renderManualPage(about, 'index', paths)
  return { path: 'index', title: 'Aglet', html }
}

/**
 * Writes the pages of docs/ as a static site: with search, in both colour schemes, without third-party scripts or styles. It
 * works in any folder of a web server and needs no server of its own.
 */
export async function buildSite({ docs, out, version, contact }: SiteOptions): Promise<void> {
  const paths = globSync('**/*.md', { cwd: docs })
    .map((file) => file.replaceAll('\\', '/').replace(/\.md$/, ''))
    .sort()
  const rendered = paths.map((path): SitePage => {
    return { path, ...renderManualPage(readFileSync(join(docs, `${path}.md`), 'utf8'), path, paths) }
  })
  const pages = [startPage(readFileSync(join(docs, '../README.md'), 'utf8'), paths), ...rendered]
  const put = (file: string, text: string) => {
    mkdirSync(dirname(join(out, file)), { recursive: true })
    writeFileSync(join(out, file), text)
  }
  for (const page of pages) put(`${page.path}.html`, pageHtml(page, pages, version))
  const searched: SearchedPage[] = rendered
    .filter(({ path }) => !isDecision(path))
    .map(({ path, title, html }) => toSearchedPage(path, title, html))
  put('search.json', JSON.stringify(searched))
  put('site.css', style)
  if (contact) put('.well-known/security.txt', securityText(contact, new Date()))
  for (const name of globSync('*.webp', { cwd: join(docs, 'images') }))
    cpSync(join(docs, 'images', name), posix.join(out, 'images', name))
  await build({
    entryPoints: [join(import.meta.dirname, 'search.js')],
    outfile: join(out, 'search.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    logLevel: 'silent',
  })
}

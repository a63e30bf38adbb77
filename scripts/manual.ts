/**
 * Renders the pages of docs/ into dist/manual/ as `{ title, html }`, with their pictures, for src/http/manualPages.ts.
 * HTML of a page is shown as text, except a picture of two colour schemes in the one form below.
 */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import MarkdownIt, { type Token } from 'markdown-it'

const root = join(import.meta.dirname, '..')
const docs = join(root, 'docs')
const dist = join(root, 'dist/manual')

/** A page: its first heading as text, and the rest as HTML. */
export type ManualPage = { title: string; html: string }

/** The event reference and the providers have pages that the server writes. */
const writtenByServer = new Set(['events', 'providers'])
const pathsOf = () =>
  globSync('**/*.md', { cwd: docs })
    .map((file) => file.replaceAll('\\', '/').replace(/\.md$/, ''))
    .sort()

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** `replay.md#limits` of a page → `/docs/replay#limits`; undefined for a file that is no page. */
function addressOf(link: string, page: string, paths: ReadonlySet<string>): string | undefined {
  if (/^(https?:|mailto:|#)/.test(link)) return link
  const [file, anchor] = link.split('#') as [string, string | undefined]
  const path = posix.normalize(posix.join(posix.dirname(page), file)).replace(/\.md$/, '')
  if (!file.endsWith('.md') || !paths.has(path)) return undefined
  return `/docs/${path}${anchor === undefined ? '' : `#${anchor}`}`
}

const picture =
  /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="images\/([\w-]+\.webp)">\s*<img alt="([^"<>]*)" src="images\/([\w-]+\.webp)">\s*<\/picture>\s*$/
const pictureHtml = (dark: string, alt: string, light: string) =>
  `<picture><source media="(prefers-color-scheme: dark)" srcset="/docs/images/${dark}"><img alt="${alt}" src="/docs/images/${light}" loading="lazy"></picture>\n`

const textOf = ({ children }: Token) =>
  (children ?? [])
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('')

/** Sets the anchors of headings and the addresses of links. A link to a file that is not served becomes its text. */
function connect(tokens: Token[], page: string, paths: ReadonlySet<string>): void {
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(textOf(tokens[at + 1]!)))
    const open: boolean[] = []
    token.children = (token.children ?? []).filter((child) => {
      if (child.type === 'link_close') return open.pop()
      if (child.type !== 'link_open') return true
      const address = addressOf(`${child.attrGet('href') ?? ''}`, page, paths)
      open.push(address !== undefined)
      if (address !== undefined) child.attrSet('href', address)
      return address !== undefined
    })
  }
}

function renderer() {
  const markdown = new MarkdownIt({ html: true })
  const { rules } = markdown.renderer
  const { escapeHtml } = markdown.utils
  rules.html_inline = (tokens, at) => escapeHtml(tokens[at]!.content)
  rules.html_block = (tokens, at) => {
    const { content } = tokens[at]!
    const [, dark, alt, light] = picture.exec(content) ?? []
    return dark ? pictureHtml(dark, alt!, light!) : `<pre><code>${escapeHtml(content)}</code></pre>\n`
  }
  // A part that scrolls can be reached by the keyboard.
  for (const name of ['fence', 'code_block'] as const) {
    const write = rules[name]!
    rules[name] = (...values) => `${write(...values)}`.replace('<pre>', '<pre tabindex="0">')
  }
  rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
  rules.table_close = () => '</table></div>\n'
  return markdown
}

/** A page of Markdown as HTML. `paths` are the pages that its links may lead to. */
export function renderManualPage(text: string, page: string, paths: readonly string[]): ManualPage {
  const markdown = renderer()
  const tokens = markdown.parse(text, {})
  connect(tokens, page, new Set(paths))
  const isTitled = tokens[0]?.type === 'heading_open'
  const title = isTitled ? textOf(tokens[1]!) : page
  return { title, html: markdown.renderer.render(isTitled ? tokens.slice(3) : tokens, markdown.options, {}) }
}

/** Writes a file where its content changed, so that a running server never reads half of it. */
function put(path: string, contents: Buffer): void {
  const file = join(dist, path)
  if (existsSync(file) && readFileSync(file).equals(contents)) return
  mkdirSync(dirname(file), { recursive: true })
  const half = `${file}.${process.pid}`
  writeFileSync(half, contents)
  renameSync(half, file)
}

/** Writes every page and picture, and deletes those that are gone. It takes less than a second, so each build does it. */
export function buildManual(): void {
  const paths = pathsOf()
  const files = new Map<string, Buffer>()
  for (const path of paths.filter((each) => !writtenByServer.has(each))) {
    const page = renderManualPage(readFileSync(join(docs, `${path}.md`), 'utf8'), path, paths)
    files.set(`${path}.json`, Buffer.from(JSON.stringify(page)))
  }
  for (const name of globSync('*.webp', { cwd: join(docs, 'images') }))
    files.set(`images/${name}`, readFileSync(join(docs, 'images', name)))
  for (const [path, contents] of files) put(path, contents)
  for (const old of globSync('**/*.{json,webp}', { cwd: dist }))
    if (!files.has(old.replaceAll('\\', '/'))) rmSync(join(dist, old), { force: true })
}

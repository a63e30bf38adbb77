import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { escapeHtml } from '#kit/escapeHtml.ts'
import { packageFolder } from '#kit/ownFiles.ts'
import { type Found, manualJobs, type SearchedPage, searchManual, toSearchedPage } from './manualContents.ts'
import { sendHtml } from './pageFrame.ts'
import { referencePageHtml, referencePagePolicy } from './referencePage.ts'

/** `scripts/manual.ts` renders the pages of docs/ there. */
export const manualFolder = join(packageFolder, 'dist/manual')

type ManualPage = { title: string; html: string }

const dayS = 86_400

/** The paths of the pages in a folder, in alphabetical order; none if it is not built. */
const pathsIn = (folder: string) =>
  globSync('**/*.json', { cwd: folder })
    .map((file) => file.replaceAll('\\', '/').replace(/\.json$/, ''))
    .sort()

const readPage = async (folder: string, path: string): Promise<ManualPage> =>
  JSON.parse(await readFile(join(folder, `${path}.json`), 'utf8'))

const linkTo = (path: string, title: string) => `<li><a href="/docs/${path}">${escapeHtml(title)}</a></li>`

/** The list of all pages, including the generated ones. */
async function contentsHtml(folder: string, paths: readonly string[]): Promise<string> {
  const pages = await Promise.all(paths.map(async (path) => ({ path, ...(await readPage(folder, path)) })))
  const all = [...pages, { path: 'events', title: 'Events' }, { path: 'providers', title: 'Providers' }]
  const isDecision = ({ path }: { path: string }) => path.startsWith('decisions/')
  const listOf = (some: typeof all) => `<ul>${some.map(({ path, title }) => linkTo(path, title)).join('\n')}</ul>`
  const ofJobs = manualJobs.map(([job, own]): [string, typeof all] => [
    job,
    own.flatMap((path) => all.find((page) => page.path === path) ?? []),
  ])
  const listed = new Set(manualJobs.flatMap(([, own]) => own))
  const others = all.filter((page) => !isDecision(page) && !listed.has(page.path))
  const groups = [...ofJobs, ['More', others] as const, ['Decisions', all.filter(isDecision)] as const]
  const lists = groups.flatMap(([job, own]) => (own.length > 0 ? [`<h2>${escapeHtml(job)}</h2>${listOf(own)}`] : []))
  return referencePageHtml('Manual', `${searchForm('')}${lists.join('\n')}`)
}

const maxQuery = 100
const searchForm = (query: string) =>
  `<form action="/docs/search" role="search"><label>Search the manual <input type="search" name="q" maxlength="${maxQuery}" value="${escapeHtml(query)}"></label> <button>Search</button></form>`

/** The pages for the search, read once. */
function searchedPages(folder: string, paths: readonly string[]): () => Promise<SearchedPage[]> {
  let pages: Promise<SearchedPage[]> | undefined
  const read = async (path: string) => {
    const { title, html } = await readPage(folder, path)
    return toSearchedPage(path, title, html)
  }
  return () => {
    pages ??= Promise.all(paths.filter((path) => !path.startsWith('decisions/')).map(read))
    return pages
  }
}

function foundHtml(query: string, found: readonly Found[]): string {
  const rows = found.map(
    ({ path, title, excerpt }) =>
      `<li><a href="/docs/${escapeHtml(path)}">${escapeHtml(title)}</a><br>${escapeHtml(excerpt)}</li>`,
  )
  const none = query === '' ? '' : '<p>No page of the manual contains all of these words.</p>'
  return referencePageHtml('Search', `${searchForm(query)}${rows.length > 0 ? `<ul>${rows.join('\n')}</ul>` : none}`)
}

/**
 * The pages of docs/ as HTML below `/docs/`, their list at `/docs/manual`, and their pictures. Without scripts. A page is
 * read from the build when it is requested.
 */
export function manualPages(app: FastifyInstance, folder: string): void {
  const paths = pathsIn(folder)
  const add = (path: string, write: () => Promise<string>) =>
    app.get(path, async (_request, reply) => sendHtml(reply, referencePagePolicy, await write()))
  add('/docs/manual', () => contentsHtml(folder, paths))
  const pages = searchedPages(folder, paths)
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', async ({ query: { q } }, reply) => {
    const query = typeof q === 'string' ? q.slice(0, maxQuery).trim() : ''
    return sendHtml(reply, referencePagePolicy, foundHtml(query, searchManual(await pages(), query)))
  })
  for (const path of paths)
    add(`/docs/${path}`, async () => {
      const { title, html } = await readPage(folder, path)
      return referencePageHtml(title, html)
    })
  for (const name of globSync('*.webp', { cwd: join(folder, 'images') }))
    app.get(`/docs/images/${name}`, async (_request, reply) =>
      reply
        .type('image/webp')
        .header('cache-control', `public, max-age=${dayS}`)
        .send(await readFile(join(folder, 'images', name))),
    )
}

import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { referencePageHtml, referencePagePolicy } from './referencePage.ts'
import { escapeHtml } from './statusPage.ts'

/** `scripts/manual.ts` renders the pages of docs/ there. */
export const manualFolder = join(import.meta.dirname, '../../dist/manual')

type ManualPage = { title: string; html: string }

const dayS = 86_400

/** The paths of the pages in a folder, in the order of the alphabet; none where it is not built. */
const pathsIn = (folder: string) =>
  globSync('**/*.json', { cwd: folder })
    .map((file) => file.replaceAll('\\', '/').replace(/\.json$/, ''))
    .sort()

const readPage = async (folder: string, path: string): Promise<ManualPage> =>
  JSON.parse(await readFile(join(folder, `${path}.json`), 'utf8'))

const linkTo = (path: string, title: string) => `<li><a href="/docs/${path}">${escapeHtml(title)}</a></li>`

/** The list of all pages, those that the server writes among them. */
async function contentsHtml(folder: string, paths: readonly string[]): Promise<string> {
  const pages = await Promise.all(paths.map(async (path) => ({ path, ...(await readPage(folder, path)) })))
  const all = [...pages, { path: 'events', title: 'Events' }, { path: 'providers', title: 'Providers' }]
  const isDecision = ({ path }: { path: string }) => path.startsWith('decisions/')
  const listOf = (some: typeof all) => `<ul>${some.map(({ path, title }) => linkTo(path, title)).join('\n')}</ul>`
  const byTitle = all.filter((page) => !isDecision(page)).sort((one, other) => one.title.localeCompare(other.title))
  return referencePageHtml('Manual', `${listOf(byTitle)}<h2>Decisions</h2>${listOf(all.filter(isDecision))}`)
}

/**
 * The pages of docs/ as HTML below `/docs/`, their list at `/docs/manual`, and their pictures. Without scripts. A page is
 * read from the build when it is asked for.
 */
export function manualPages(app: FastifyInstance, folder: string): void {
  const paths = pathsIn(folder)
  const add = (path: string, write: () => Promise<string>) =>
    app.get(path, async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', referencePagePolicy)
        .send(await write()),
    )
  add('/docs/manual', () => contentsHtml(folder, paths))
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

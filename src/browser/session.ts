import type { ChannelRow, ConsentMaps } from '#contract/edge.ts'
import { greet } from './greet.ts'
import { openLine } from './line.ts'
import { type Module, openModules } from './modules.ts'
import type { Body, Path } from './outbox.ts'
import type { Page } from './page.ts'
import { openVisitor } from './visitor.ts'

export type Options = {
  /** `https://d.example.com` or `https://aglet.example/t/tag_…` */
  tagUrl: string
  /** Who the visitor is, where nobody knows yet. */
  userId?: string | undefined
  /** The page has no consent banner: everything is allowed. */
  disableConsentCheck?: boolean | undefined
  /** The key of `storage` under which consent stands. */
  brand: string
  /** The version of this SDK. */
  version: string
}

export type Session = ReturnType<typeof openSession>

/** One page and its tag, from `init` on. `entered` is the query that the page was entered with. */
export function openSession(page: Page, options: Options, entered: string) {
  const { tagUrl, brand, version } = options
  const prefix = `aglet:${tagUrl}:`
  const visitor = openVisitor(page, prefix, options)
  const line = openLine(page, { tagUrl, visitor, prefix, entered })
  let rows: readonly ChannelRow[] = []

  const modules = openModules({
    ...visitor,
    user: (key, value) => void line.send('/user', { key, value }),
    kept: page.local,
    load: page.load,
    fetch: (provider) => page.load(`${tagUrl}/load?version=${version}&module=${provider}`),
  })
  const startModules = () => modules.start(rows)

  const ready = greet(page, line.urlOf('/init', options.disableConsentCheck ? '&consentDisabled=true' : ''))
  ready.then(
    (init) => {
      visitor.name(init.userId)
      // Another site of the same tag may have asked since; what was answered here and is still on its way is newer.
      if (init.consent && !line.isWaiting('/consent')) visitor.learn(init.consent)
      rows = init.result.filter((row) => !row.refused)
      line.open(rows)
      startModules()
    },
    ({ message }) => page.warn(message),
  )

  return {
    ready,
    consent: visitor.consent,
    /** Says something with the consent of this moment, which decides about it. */
    say(path: Path, body: Body) {
      const consent = visitor.consent()
      const said = consent ? { ...body, storage: { [brand]: consent, ...(body.storage as object) } } : body
      const answer = line.send(path, said)
      if (path === '/tag') modules.hear(said)
      return answer
    },
    agree(maps: ConsentMaps) {
      visitor.agree(maps)
      const answer = line.send('/consent', { consentString: maps.consent, consentCategories: maps.consentCategories })
      startModules()
      return answer
    },
    async read<Result>(path: string, query?: string): Promise<Result> {
      const { status, json } = await page.ask(line.urlOf(path, query))
      if (status !== 200) throw new Error(`the tag answered ${status} to ${path}`)
      return (json as { result: Result }).result
    },
    addModule(provider: string, module: Module) {
      modules.add(provider, module)
      startModules()
    },
  }
}

import { check, type Static, Type } from '#contract/schema.ts'
import { ValueMode } from '#contract/script.ts'
import { buildRequests, missingSecrets } from './build.ts'
import { identityOf, type Person, personIn } from './identity.ts'
import type { Captured, Provider } from './provider.ts'
import { pageQuery, readEvent } from './read.ts'
import type { WireRequest } from './send.ts'

const Texts = Type.Record(Type.String(), Type.String())

/** A line of `aglet preview`. `user` holds standard keys, `userId`, `ip` and `userAgent`; `captured` click ids and cookies by their own names. */
const Line = Type.Object({
  provider: Type.String(),
  secrets: Type.Optional(Texts),
  event: Type.Object({
    eventName: Type.String({ minLength: 1 }),
    eventId: Type.Optional(Type.String()),
    timestamp: Type.Optional(Type.Number()),
    data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
  }),
  user: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  captured: Type.Optional(Texts),
  channel: Type.Optional(Type.Object({ purchaseValueMode: Type.Optional(Type.Union([ValueMode, Type.Null()])) })),
  now: Type.Optional(Type.Number()),
})
type Line = Static<typeof Line>

/** What would be sent, or why nothing would; `error` is a stable code where the line cannot be shown. */
export type Preview = { requests: WireRequest[]; skipped?: string; error?: string; message?: string }

const problem = (error: string, message: string): Preview => ({ requests: [], error, message })

const issuesOf = check(Line)

/** Read on its own so that a line for an unknown provider says that, whatever else it holds. */
const providerOf = (line: unknown): unknown =>
  typeof line === 'object' && line !== null ? (line as { provider?: unknown }).provider : undefined

function secretProblem(id: string, provider: Provider, secrets: Readonly<Record<string, string>>): Preview | undefined {
  const missing = missingSecrets(provider, secrets)
  if (missing.length > 0) return problem('SECRET_MISSING', `${id} needs ${missing.join(', ')}.`)
  for (const [variable, { check }] of Object.entries(provider.secrets)) {
    const wrong = secrets[variable] && check?.(secrets[variable])
    if (wrong) return problem('SECRET_REFUSED', `${variable}: ${wrong}`)
  }
  return undefined
}

/** What the line says was captured, and the click ids that stand in the address of the event's page. */
function capturesOf({ captured, event }: Line, { captures = [] }: Provider, at: number): Captured {
  const query = pageQuery(readEvent(event as Parameters<typeof readEvent>[0]).event)
  const clicked = captures.flatMap(({ query: name }) => (name && query[name] ? [[name, query[name]] as const] : []))
  const seen = { ...Object.fromEntries(clicked), ...captured }
  return Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, { value, at }]))
}

function show(id: string, provider: Provider, line: Line, clockNow: number): Preview {
  const secrets = line.secrets ?? {}
  const wrong = secretProblem(id, provider, secrets)
  if (wrong) return wrong
  const now = line.now ?? clockNow
  const event = { eventId: 'preview', timestamp: now, ...line.event } as Parameters<typeof readEvent>[0]
  const given = Object.entries(line.user ?? {}).map(([key, value]) => [key, String(value)])
  const person: Person = { ...personIn(event), ...Object.fromEntries(given) }
  const captured = capturesOf(line, provider, event.timestamp)
  const purchaseValueMode = line.channel?.purchaseValueMode ?? 'gross'
  const built = buildRequests(id, provider, {
    event,
    identity: identityOf(person),
    captured,
    purchaseValueMode,
    secrets,
    now,
  })
  return 'skipped' in built ? { requests: [], skipped: built.skipped } : built
}

/**
 * Shows what a provider would be sent for an event. Sends nothing and never throws. `clockNow` (epoch ms) is the time where
 * the line names none; an event without a timestamp happens then, one without an id is called `preview`.
 */
export function preview(
  line: unknown,
  providers: Readonly<Partial<Record<string, Provider>>>,
  clockNow: number,
): Preview {
  const id = providerOf(line)
  if (typeof id === 'string' && !Object.hasOwn(providers, id))
    return problem('UNKNOWN_PROVIDER', `This build has no provider ${JSON.stringify(id.slice(0, 100))}.`)
  const [issue] = issuesOf(line)
  if (issue) return problem('BAD_LINE', `${issue.path || 'The line'}: ${issue.message}.`)
  try {
    return show(id as string, providers[id as string]!, line as Line, clockNow)
  } catch {
    return problem('PREVIEW_FAILED', 'The provider could not make its requests from this line.')
  }
}

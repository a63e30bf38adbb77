import { closestName } from '#contract/closestName.ts'
import { type Preview, PreviewLine } from '#contract/preview.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { compileValidator } from '#contract/validator.ts'
import { addressCountryOf, personOf, type RawPerson } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { pageQuery } from '#provider/form/url.ts'
import type { BuildInput } from './buildRequests.ts'
import { identityOf } from './identity.ts'
import { parseEvent } from './parseEvent.ts'
import { redactMessages, redactor } from './redaction.ts'
import { requestsWithReplies } from './requestsWithReplies.ts'
import { invalidSecret, missingSecrets } from './secretValues.ts'

const problem = (error: string, message: string): Preview => ({ requests: [], error, message })

const issuesOf = compileValidator(PreviewLine)

/** Read before the line is validated, so that an unknown provider is reported first. */
const providerOf = (line: unknown): unknown =>
  typeof line === 'object' && line !== null ? (line as { provider?: unknown }).provider : undefined

function secretProblem(id: string, provider: Provider, secrets: Readonly<Record<string, string>>): Preview | undefined {
  const missing = missingSecrets(provider, secrets)
  if (missing.length > 0) return problem('SECRET_MISSING', `${id} needs ${missing.join(', ')}.`)
  const wrong = invalidSecret(provider, secrets)
  return wrong && problem('SECRET_REFUSED', `${wrong.variable}: ${wrong.message}`)
}

/** The captured values of the line, and the click ids in the URL of the event's page. */
function capturesOf({ captured, event }: PreviewLine, { captures = [] }: Provider, at: number): CapturedValues {
  const query = pageQuery(parseEvent(event as Parameters<typeof parseEvent>[0]).event)
  const clicked = captures.flatMap(({ query: name }) => (name && query[name] ? [[name, query[name]] as const] : []))
  const seen = { ...Object.fromEntries(clicked), ...captured }
  return Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, { value, at }]))
}

const personKeys: ReadonlySet<string> = new Set([...standardKeys, 'userId', 'ip', 'userAgent'])

type Secrets = Readonly<Record<string, string>>

function inputOf(line: PreviewLine, provider: Provider, secrets: Secrets, now: number): BuildInput {
  const event = { eventId: 'preview', timestamp: now, ...line.event } as BuildInput['event']
  const given = Object.entries(line.user ?? {}).map(([key, value]) => [key, String(value)] as const)
  const isOfPerson = ([key]: readonly [string, string]) => personKeys.has(key)
  const phoneCountry = addressCountryOf(event) ?? line.defaultCountry
  const person: RawPerson = {
    ...personOf(event),
    ...Object.fromEntries(given.filter(isOfPerson)),
    ...(phoneCountry && { phoneCountry }),
  }
  // All other keys of a person are custom keys, such as device ids.
  const custom = Object.fromEntries(given.filter((entry) => !isOfPerson(entry)))
  const captured = capturesOf(line, provider, event.timestamp)
  const purchaseValueMode = line.channel?.purchaseValueMode ?? 'gross'
  return { event, identity: identityOf(person), captured, custom, purchaseValueMode, secrets, now }
}

function show(id: string, provider: Provider, line: PreviewLine, clockNow: number): Preview {
  const secrets = line.secrets ?? {}
  const rejected = secretProblem(id, provider, secrets)
  if (rejected) return rejected
  const input = inputOf(line, provider, secrets, line.now ?? clockNow)
  const built = requestsWithReplies(id, provider, input, line.replies)
  if ('skipped' in built) return { requests: [], skipped: built.skipped }
  const { requests, tokenRefused } = built
  if (!tokenRefused) return { requests }
  const [message = ''] = redactMessages([tokenRefused.message ?? ''], redactor({ secrets: Object.values(secrets) }))
  return { requests, error: 'TOKEN_REFUSED', message }
}

function unknownProvider(id: string, known: readonly string[]): string {
  const meant = closestName(id, known)
  return `This build has no provider ${JSON.stringify(id)}${meant ? `: did you mean ${meant}?` : '.'}`
}

/**
 * Shows the requests for an event. Sends nothing and never throws. `clockNow` (epoch ms): used where the line has no
 * `now`. `now`: used where the event has no timestamp. An event without an id gets the id `preview`.
 */
export function preview(
  line: unknown,
  providers: Readonly<Partial<Record<string, Provider>>>,
  clockNow: number,
): Preview {
  const id = providerOf(line)
  if (typeof id === 'string' && !Object.hasOwn(providers, id))
    return problem('UNKNOWN_PROVIDER', unknownProvider(id.slice(0, 100), Object.keys(providers)))
  const [issue] = issuesOf(line)
  if (issue) return problem('BAD_LINE', `${issue.path || 'The line'}: ${issue.message}.`)
  try {
    return show(id as string, providers[id as string]!, line as PreviewLine, clockNow)
  } catch {
    return problem('PREVIEW_FAILED', 'The provider could not build its requests from this line.')
  }
}

import { type Preview, PreviewLine } from '#contract/preview.ts'
import { check } from '#contract/schema.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { personOf } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { pageQuery } from '#provider/form/url.ts'
import { buildTokenRequest, readToken } from './accessToken.ts'
import { type BuildInput, buildRequests } from './buildRequests.ts'
import { identityOf } from './identity.ts'
import { parseEvent } from './parseEvent.ts'
import { redactMessages, redactor } from './redaction.ts'
import { invalidSecret, missingSecrets } from './secretValues.ts'

const problem = (error: string, message: string): Preview => ({ requests: [], error, message })

const issuesOf = check(PreviewLine)

/** Read on its own so that a line for an unknown provider says that, whatever else it holds. */
const providerOf = (line: unknown): unknown =>
  typeof line === 'object' && line !== null ? (line as { provider?: unknown }).provider : undefined

function secretProblem(id: string, provider: Provider, secrets: Readonly<Record<string, string>>): Preview | undefined {
  const missing = missingSecrets(provider, secrets)
  if (missing.length > 0) return problem('SECRET_MISSING', `${id} needs ${missing.join(', ')}.`)
  const wrong = invalidSecret(provider, secrets)
  return wrong && problem('SECRET_REFUSED', `${wrong.variable}: ${wrong.message}`)
}

/** What the line says was captured, and the click ids that stand in the address of the event's page. */
function capturesOf({ captured, event }: PreviewLine, { captures = [] }: Provider, at: number): CapturedValues {
  const query = pageQuery(parseEvent(event as Parameters<typeof parseEvent>[0]).event)
  const clicked = captures.flatMap(({ query: name }) => (name && query[name] ? [[name, query[name]] as const] : []))
  const seen = { ...Object.fromEntries(clicked), ...captured }
  return Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, { value, at }]))
}

type Secrets = Readonly<Record<string, string>>

function inputOf(line: PreviewLine, provider: Provider, secrets: Secrets, now: number): BuildInput {
  const event = { eventId: 'preview', timestamp: now, ...line.event } as BuildInput['event']
  const given = Object.entries(line.user ?? {}).map(([key, value]) => [key, String(value)])
  const person: RawPerson = { ...personOf(event), ...Object.fromEntries(given) }
  const captured = capturesOf(line, provider, event.timestamp)
  const purchaseValueMode = line.channel?.purchaseValueMode ?? 'gross'
  return { event, identity: identityOf(person), captured, purchaseValueMode, secrets, now }
}

/** A token step that the line answers gives its token; without an answer the requests show where it would stand. */
function withToken(id: string, provider: Provider, line: PreviewLine, input: BuildInput): Preview {
  const { secrets, now } = input
  const asks = buildTokenRequest(id, provider, secrets, now)
  const reply = asks && line.replies?.[0]
  const before = asks ? [asks] : []
  const body = JSON.stringify(reply?.json ?? null)
  const fetched = reply && readToken(provider, { status: reply.status, headers: {}, body, durationMs: 0 }, now)
  if (fetched && 'refused' in fetched)
    return {
      requests: before,
      error: 'TOKEN_REFUSED',
      message: redactMessages([fetched.refused.message ?? ''], redactor({ secrets: Object.values(secrets) }))[0]!,
    }
  const built = buildRequests(id, provider, { ...input, ...(fetched && { token: fetched.token }) })
  return 'skipped' in built ? { requests: [], skipped: built.skipped } : { requests: [...before, ...built.requests] }
}

function show(id: string, provider: Provider, line: PreviewLine, clockNow: number): Preview {
  const secrets = line.secrets ?? {}
  const wrong = secretProblem(id, provider, secrets)
  if (wrong) return wrong
  const input = inputOf(line, provider, secrets, line.now ?? clockNow)
  const built = buildRequests(id, provider, input)
  if ('skipped' in built) return { requests: [], skipped: built.skipped }
  return provider.tokenRequest ? withToken(id, provider, line, input) : built
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
    return show(id as string, providers[id as string]!, line as PreviewLine, clockNow)
  } catch {
    return problem('PREVIEW_FAILED', 'The provider could not make its requests from this line.')
  }
}

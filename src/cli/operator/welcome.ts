import { randomBytes } from 'node:crypto'
import type { EnvironmentName } from '#contract/me.ts'
import type { Settings } from '#contract/settings.ts'
import type { Demo } from './firstRun.ts'
import { basePath } from './home.ts'

/** One environment as a start tells of it. */
export type Told = Demo & {
  environment: EnvironmentName
  tagUrl: string
  /** Signs the operator in, once. */
  signIn?: string
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A first event as a shop would send it, consent included. `timestamp` is the shell's own clock, whenever it is run. */
function sendCommand({ tagUrl }: Told, eventId: string, brand: string): string {
  const head = { eventName: 'AddToCart', eventId, userEmail: 'jane@example.com' }
  const rest = {
    data: { value: 30, currency: 'EUR', contents: [{ id: 'sku-1', quantity: 2, item_price: 15 }] },
    storage: { [brand[0]!.toLowerCase() + brand.slice(1)]: { consent: { all: true } } },
  }
  const body = `${quoted(`${JSON.stringify(head).slice(0, -1)},"timestamp":`)}$(date +%s)${quoted(`000,${JSON.stringify(rest).slice(1)}`)}`
  return `curl -sS ${quoted(`${tagUrl}/tag`)} -H 'Content-Type: application/json' -d ${body}`
}

function journeyCommand({ environment, teamId, tagId, token }: Told, eventId: string, { origin }: Settings): string {
  const url = `${origin}${basePath(environment)}/tag/${tagId}/event/${eventId}`
  return `curl -sS ${quoted(url)} -H ${quoted(`Authorization: Bearer ${token}`)} -H ${quoted(`Team-Id: ${teamId}`)}`
}

/** What to type to see an event go all the way; each command stands alone, so both name the same fresh event. */
function firstSteps(told: Told, settings: Settings) {
  const eventId = `first-${randomBytes(6).toString('hex')}`
  return { send: sendCommand(told, eventId, settings.brand), journey: journeyCommand(told, eventId, settings) }
}

function addressLines({ environment, teamId, tagUrl, token, signIn }: Told, { origin }: Settings): string[] {
  return [
    `${environment[0]!.toUpperCase()}${environment.slice(1)}`,
    `  Base address  ${origin}${basePath(environment)}`,
    `  Tag URL       ${tagUrl}`,
    `  Team          ${teamId}`,
    ...(token ? [`  Token         ${token}   (shown this once)`] : []),
    ...(signIn ? [`  Sign in       ${signIn}   (once, within an hour)`] : []),
    '',
  ]
}

/** What a start says on standard output: addresses always, tokens and first steps when they were made just now. */
export function welcomeText(version: string, all: readonly Told[], settings: Settings): string {
  const [first] = all
  const lines = [`Aglet ${version} is running.`, '', `Status page     ${settings.origin}/`, '']
  lines.push(...all.flatMap((told) => addressLines(told, settings)))
  if (first?.token) {
    const { send, journey } = firstSteps(first, settings)
    lines.push('Send a first event:', '', send, '', 'See where it went:', '', journey, '')
  } else if (first) {
    lines.push(`A new token:    npm run -s aglet -- token create --team ${first.teamId}`, '')
  }
  return `${lines.join('\n')}\n`
}

/** The same as one JSON value. */
export function welcomeJson(version: string, all: readonly Told[], settings: Settings): string {
  const environments = all.map((told) => [
    told.environment,
    {
      baseUrl: `${settings.origin}${basePath(told.environment)}`,
      tagUrl: told.tagUrl,
      teamId: told.teamId,
      tagId: told.tagId,
      ...(told.signIn && { signIn: told.signIn }),
      ...(told.token && { token: told.token, ...firstSteps(told, settings) }),
    },
  ])
  return `${JSON.stringify({ version, origin: settings.origin, ...Object.fromEntries(environments) })}\n`
}

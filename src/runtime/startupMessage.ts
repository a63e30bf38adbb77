import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import type { EnvironmentName } from '#contract/me.ts'
import { ownCommand } from '#kit/ownCommand.ts'
import type { Settings } from '#settings/settings.ts'
import type { DemoEnvironment } from './demo.ts'
import { basePath, dashboardPath } from './environmentStore.ts'

/** One environment as the startup message describes it. */
export type StartedEnvironment = DemoEnvironment & {
  environment: EnvironmentName
  tagUrl: string
  /** A link that signs the operator in once. */
  signIn?: string
}

/** A word of a command line, quoted if the shell would interpret it otherwise. */
const shellWord = (text: string) => (/^[\w./-]+$/.test(text) ? text : shellQuote(text))
const shellQuote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** A curl command that sends a shop's first event with consent. Its `timestamp` is the shell's clock when it runs. */
function sendCommand({ tagUrl }: StartedEnvironment, eventId: string, brand: string): string {
  const head = { eventName: 'AddToCart', eventId, userEmail: 'jane@example.com' }
  const rest = {
    data: { value: 30, currency: 'EUR', contents: [{ id: 'sku-1', quantity: 2, item_price: 15 }] },
    storage: { [brand[0]!.toLowerCase() + brand.slice(1)]: { consent: { all: true } } },
  }
  const body = `${shellQuote(`${JSON.stringify(head).slice(0, -1)},"timestamp":`)}$(date +%s)${shellQuote(`000,${JSON.stringify(rest).slice(1)}`)}`
  return `curl -sS ${shellQuote(`${tagUrl}/tag`)} -H 'Content-Type: application/json' -d ${body}`
}

function journeyCommand(
  { environment, teamId, tagId, token }: StartedEnvironment,
  eventId: string,
  { origin }: Settings,
): string {
  const url = `${origin}${basePath(environment)}/tag/${tagId}/event/${eventId}`
  return `curl -sS ${shellQuote(url)} -H ${shellQuote(`Authorization: Bearer ${token}`)} -H ${shellQuote(`Team-Id: ${teamId}`)}`
}

/** Commands that send an event and read its journey. Both contain the same new event id, so each works independently. */
function firstCommands(environment: StartedEnvironment, settings: Settings) {
  const eventId = `first-${randomBytes(6).toString('hex')}`
  return {
    send: sendCommand(environment, eventId, settings.brand),
    journey: journeyCommand(environment, eventId, settings),
  }
}

function addressLines(
  { environment, teamId, tagUrl, token, signIn }: StartedEnvironment,
  { origin }: Settings,
): string[] {
  return [
    `${environment[0]!.toUpperCase()}${environment.slice(1)}`,
    `  Dashboard     ${origin}${dashboardPath(environment)}`,
    `  Base address  ${origin}${basePath(environment)}`,
    `  Tag URL       ${tagUrl}`,
    `  Team          ${teamId}`,
    ...(token ? [`  Token         ${token}   (shown this once)`] : []),
    ...(signIn ? [`  Sign in       ${signIn}   (once, within an hour)`] : []),
    '',
  ]
}

/**
 * The startup message for a person: addresses always, tokens and first commands only after a first start. The last line
 * says that the server is running, so that a program that waits for it has already read everything above.
 */
export function startupText(version: string, all: readonly StartedEnvironment[], settings: Settings): string {
  const [first] = all
  const lines = [`Aglet ${version}`, '', `Status page     ${settings.origin}/`, '']
  lines.push(...all.flatMap((each) => addressLines(each, settings)))
  if (first?.token) {
    const { send, journey } = firstCommands(first, settings)
    lines.push('Send a first event:', '', send, '', 'See where it went:', '', journey, '')
  } else if (first) {
    const data = shellWord(resolve(settings.data))
    lines.push(`A new token:    ${ownCommand} token create --team ${first.teamId} --data ${data}`)
    if (!first.signIn) lines.push(`Sign in:        ${ownCommand} sign-in --data ${data}   (prints a link)`)
    lines.push('')
  }
  lines.push(`Aglet ${version} is running.`)
  return `${lines.join('\n')}\n`
}

/** The startup message as one JSON value. */
export function startupJson(version: string, all: readonly StartedEnvironment[], settings: Settings): string {
  const environments = all.map((each) => [
    each.environment,
    {
      baseUrl: `${settings.origin}${basePath(each.environment)}`,
      dashboard: `${settings.origin}${dashboardPath(each.environment)}`,
      tagUrl: each.tagUrl,
      teamId: each.teamId,
      tagId: each.tagId,
      ...(each.signIn && { signIn: each.signIn }),
      ...(each.token && { token: each.token, ...firstCommands(each, settings) }),
    },
  ])
  return `${JSON.stringify({ version, origin: settings.origin, ...Object.fromEntries(environments) })}\n`
}

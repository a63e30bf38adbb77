import { type Command, Option } from 'commander'
import type { ErrorObject } from '#contract/fault.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { readSettings, type SettingName, type Settings, settingFlags } from '#contract/settings.ts'
import { answerText } from './table.ts'
import type { ProgramWorld } from './world.ts'

export const exits = { done: 0, failed: 1, wrongUsage: 2 } as const

export type Flags = Partial<Record<SettingName, string | true>> & { json?: true; environment?: EnvironmentName }

/** The flags that are settings, as texts; a bare flag is a yes. */
export function settingsOf(flags: Flags, env: ProgramWorld['env']): Settings {
  const given = settingFlags.flatMap(({ name }) => {
    const value = flags[name]
    return value === undefined ? [] : [[name, value === true ? '1' : value] as const]
  })
  return readSettings(env, Object.fromEntries(given))
}

export const settingOption = (name: SettingName) => {
  const { flag, takesValue, help } = settingFlags.find((each) => each.name === name)!
  return new Option(takesValue ? `${flag} <value>` : flag, help)
}

export const jsonOption = () => new Option('--json', 'one JSON value on standard output, nothing else')

/** What every command takes. */
export const common = (command: Command) =>
  command
    .addOption(jsonOption())
    .addOption(settingOption('data'))
    .addOption(new Option('--environment <name>', 'production or sandbox (production)').choices(environments))

/** A group of commands: `token` of `token create`. Without a word after it, its help is shown as wrong usage. */
const groupOf = (program: Command, name: string) =>
  program.commands.find((each) => each.name() === name) ?? program.command(name).description(`Commands of ${name}`)

/** The command of one or two words: `deploy`, `token create`. */
export function commandOf(program: Command, words: string, about: string): Command {
  const [first, second] = words.split(' ') as [string, string?]
  const command = second === undefined ? program.command(first) : groupOf(program, first).command(second)
  return common(command.description(about))
}

/** `name  value` or a table for a person, one JSON value for a program. */
export function show(
  result: Record<string, unknown>,
  { json }: Flags,
  on: Pick<ProgramWorld, 'print'>,
  names?: readonly string[],
): void {
  on.print(json ? `${JSON.stringify(result)}\n` : answerText(result, names))
}

/** What is wrong with the input, or the message where that says it all. */
function sentenceOf({ message, attributes, hookErrors = [] }: ErrorObject): string {
  const issues = (attributes?.issues ?? []) as { path: string; message: string }[]
  const hooks = hookErrors.map(({ url, message }) => ({ path: url, message }))
  const said = [...issues, ...hooks].map((issue) => [issue.path, issue.message].filter(Boolean).join(': ')).join('; ')
  const text = said || message
  return text.endsWith('.') ? text : `${text}.`
}

/** An Error object as the command line tells it: 2 for what was asked wrongly, 1 for what cannot be done. */
export class Refused extends Error {
  readonly exit: number
  /** `before` says how far it came. */
  constructor(error: ErrorObject, before = '') {
    super(before + sentenceOf(error))
    this.exit = error.statusCode === 400 ? exits.wrongUsage : exits.failed
  }
}

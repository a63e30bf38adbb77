import { type Command, CommanderError, Option } from 'commander'
import type { ErrorObject } from '#contract/errorObject.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { readSettings, type SettingName, type Settings, settingFlags } from '#settings/settings.ts'
import type { ProgramDeps } from './cliDeps.ts'
import { formatAnswer, formatValue } from './textTable.ts'

/** `unfinished`: done, but a person has to complete the rest. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, drift: 3, unfinished: 3 } as const

export type CommandFlags = Partial<Record<SettingName, string | true>> & { json?: true; environment?: EnvironmentName }

/** The settings of the flags and the environment; a flag without a value is '1'. */
export function readFlagSettings(flags: CommandFlags, env: ProgramDeps['env']): Settings {
  const values = settingFlags.flatMap(({ name }) => {
    const value = flags[name]
    return value === undefined ? [] : [[name, value === true ? '1' : value] as const]
  })
  return readSettings(env, Object.fromEntries(values))
}

export const settingOption = (name: SettingName) => {
  const { flag, takesValue, help } = settingFlags.find((each) => each.name === name)!
  return new Option(takesValue ? `${flag} <value>` : flag, help)
}

export const jsonOption = () => new Option('--json', 'one JSON value on standard output, nothing else')

/** Adds the options of every command. */
const addCommonOptions = (command: Command) =>
  command
    .addOption(jsonOption())
    .addOption(settingOption('data'))
    .addOption(new Option('--environment <name>', 'production or sandbox (production)').choices(environments))

/** Ends a command that has printed its findings: a check failed, the team differs from the file, or work remains. */
export const endWith = (outcome: 'failed' | 'drift' | 'unfinished') =>
  new CommanderError(exitCodes[outcome], `aglet.${outcome}`, '')

/** A group of commands, such as `token` of `token create`. Without a command it prints its help, with exit code 2. */
export const commandGroup = (program: Command, name: string) =>
  program.commands.find((each) => each.name() === name) ?? program.command(name).description(`Commands of ${name}`)

/** Adds a command of one or two words: `deploy`, `token create`. */
export function addCommand(program: Command, words: string, about: string): Command {
  const [first, second] = words.split(' ') as [string, string?]
  const command = second === undefined ? program.command(first) : commandGroup(program, first).command(second)
  return addCommonOptions(command.description(about))
}

/** How a result is printed: `names` selects its members, `sentence` is a text with `{member}` for values. */
type ResultForm = { names?: readonly string[] | undefined; sentence?: string | undefined }

/** Prints a result: with `--json` as one JSON value, else as its sentence, a table or lines of `name  value`. */
export function printResult(
  result: Record<string, unknown>,
  { json }: CommandFlags,
  deps: Pick<ProgramDeps, 'print'>,
  { names, sentence }: ResultForm = {},
): void {
  if (json) deps.print(`${JSON.stringify(result)}\n`)
  else if (sentence === undefined) deps.print(formatAnswer(result, names))
  else deps.print(formatSentence(sentence, result))
}

/** A sentence with the values of its `{members}`, and a line for each of the result's `errors`. */
function formatSentence(sentence: string, result: Record<string, unknown>): string {
  const line = sentence.replace(/\{(\w+)\}/g, (_, name: string) => formatValue(name, result[name]))
  const errors = Array.isArray(result.errors) ? result.errors : []
  return [line, ...errors.map((error) => `But: ${formatValue('error', error)}`)].map((each) => `${each}\n`).join('')
}

/** The attributes of an Error object, without its issues: `missing: event:write`. */
const attributeTexts = (attributes: Record<string, unknown> = {}) =>
  Object.entries(attributes).flatMap(([name, value]) =>
    name === 'issues' ? [] : [`${name}: ${formatValue(name, value)}`],
  )

/** The issues of an Error object in one sentence, else its message; then its other attributes. */
function errorSentence({ message, attributes, hookErrors = [] }: ErrorObject): string {
  const issues = (attributes?.issues ?? []) as { path: string; message: string }[]
  const hooks = hookErrors.map(({ url, message }) => ({ path: url, message }))
  const details = [...issues, ...hooks]
    .map((issue) => [issue.path, issue.message].filter(Boolean).join(': '))
    .join('; ')
  const text = details || message
  const others = attributeTexts(attributes).filter((each) => !text.includes(each))
  if (others.length > 0) return `${text.replace(/\.$/, '')} (${others.join('; ')}).`
  return text.endsWith('.') ? text : `${text}.`
}

/** An Error object of the API or of an operator command. Exit code 2 for a 400, 1 for any other status. */
export class CommandRefused extends Error {
  readonly exitCode: number
  /** `prefix` comes before the sentence, such as the number of changes already applied. */
  constructor(error: ErrorObject, prefix = '') {
    super(prefix + errorSentence(error))
    this.exitCode = error.statusCode === 400 ? exitCodes.wrongUsage : exitCodes.failed
  }
}

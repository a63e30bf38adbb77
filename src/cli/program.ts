import { Command, CommanderError, Option } from 'commander'
import type { ErrorObject } from '#contract/fault.ts'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { readSettings, type SettingName, type Settings, SettingsProblem, settingFlags } from '#contract/settings.ts'
import { type Call, type Finding, type Outcome, WrongUsage } from './call.ts'
import { operatorCommands, sealWords, type Words } from './commands.ts'
import { type SealAsked, sealSecret } from './seal.ts'

/** What the command line stands on. */
export type ProgramWorld = {
  version: string
  env: Readonly<Record<string, string | undefined>>
  /** Standard output takes results, standard error everything else. */
  print(text: string): void
  complain(text: string): void
  /** All of standard input. */
  readInput(): Promise<string>
  /** Resolves when the server has stopped. */
  serve(settings: Settings, asJson: boolean): Promise<void>
  operate(call: Call, settings: Settings): Promise<Outcome>
  preview(): Promise<void>
  doctor(settings: Settings): Promise<Finding[]>
}

type Flags = Partial<Record<SettingName, string | true>> & { json?: true; environment?: EnvironmentName }

export const exits = { done: 0, failed: 1, wrongUsage: 2 } as const

/** What is wrong with the input, or the message where that says it all. */
function sentenceOf({ message, attributes }: ErrorObject): string {
  const issues = (attributes?.issues ?? []) as { path: string; message: string }[]
  const said = issues.map((issue) => [issue.path, issue.message].filter(Boolean).join(': ')).join('; ') || message
  return said.endsWith('.') ? said : `${said}.`
}

/** The flags that are settings, as texts; a bare flag is a yes. */
function settingsOf(flags: Flags, env: ProgramWorld['env']): Settings {
  const given = settingFlags.flatMap(({ name }) => {
    const value = flags[name]
    return value === undefined ? [] : [[name, value === true ? '1' : value] as const]
  })
  return readSettings(env, Object.fromEntries(given))
}

/** `name  value` for a person, one JSON value for a program. */
function show(result: Record<string, unknown>, { json }: Flags, on: ProgramWorld): void {
  if (json) {
    on.print(`${JSON.stringify(result)}\n`)
    return
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length))
  for (const [name, value] of Object.entries(result)) on.print(`${name.padEnd(width)}  ${value}\n`)
}

const settingOption = (name: SettingName) => {
  const { flag, takesValue, help } = settingFlags.find((each) => each.name === name)!
  return new Option(takesValue ? `${flag} <value>` : flag, help)
}

/** What every command takes. */
const common = (command: Command) =>
  command
    .option('--json', 'one JSON value on standard output, nothing else')
    .addOption(settingOption('data'))
    .addOption(new Option('--environment <name>', 'production or sandbox').choices(environments).default('production'))

function serveCommand(program: Command, on: ProgramWorld): void {
  const command = program.command('serve').description('Starts Aglet; makes what a first start needs')
  command.option('--json', 'the addresses as one JSON value on standard output')
  for (const { name } of settingFlags) command.addOption(settingOption(name))
  command.action((flags: Flags) => on.serve(settingsOf(flags, on.env), flags.json === true))
}

/** A group of commands: `token` of `token create`. Without a word after it, its help is shown as wrong usage. */
const groupOf = (program: Command, name: string) =>
  program.commands.find((each) => each.name() === name) ?? program.command(name).description(`Commands of ${name}`)

function subCommand(program: Command, { words, about, takes }: Words): Command {
  const [group, name] = words.split(' ') as [string, string]
  const command = common(groupOf(program, group).command(name).description(about))
  for (const { flag, help, isOptional, choices } of takes) {
    const option = choices ? new Option(flag, help).choices(choices) : new Option(flag, help)
    command.addOption(isOptional ? option : option.makeOptionMandatory())
  }
  return command
}

function operatorCommand(program: Command, words: Words, on: ProgramWorld): void {
  subCommand(program, words).action(async ({ json, environment = 'production', data, ...input }: Flags) => {
    const settings = settingsOf(data === undefined ? {} : { data }, on.env)
    const outcome = await on.operate({ command: words.words, environment, input }, settings)
    if ('refused' in outcome) throw new Refused(outcome.refused)
    show(outcome.result, { ...(json && { json }) }, on)
  })
}

class Refused extends Error {
  readonly exit: number
  constructor(error: ErrorObject) {
    super(sentenceOf(error))
    this.exit = error.statusCode === 400 ? exits.wrongUsage : exits.failed
  }
}

function sealCommand(program: Command, on: ProgramWorld): void {
  subCommand(program, sealWords).action(async ({ json, value, ...asked }: Flags & SealAsked) => {
    const plaintext = value === '-' ? (await on.readInput()).replace(/\r?\n$/, '') : value
    const entry = await sealSecret({ ...asked, value: plaintext })
    on.print(`${JSON.stringify(entry, undefined, json ? undefined : 2)}\n`)
  })
}

function doctorCommand(program: Command, on: ProgramWorld): void {
  const command = common(program.command('doctor').description('Looks whether the data directory is as it must be'))
  command.action(async ({ json, data }: Flags) => {
    const checks = await on.doctor(settingsOf(data === undefined ? {} : { data }, on.env))
    const ok = checks.every((check) => check.ok)
    if (json) on.print(`${JSON.stringify({ ok, checks })}\n`)
    else for (const check of checks) on.print(`${check.ok ? 'ok  ' : 'BAD '} ${check.name}: ${check.message}\n`)
    if (!ok) throw new CommanderError(exits.failed, 'aglet.unwell', '')
  })
}

function programOf(on: ProgramWorld): Command {
  const program = new Command('aglet')
    .description('Tag delivery: events in, every channel accounted for')
    .version(on.version)
    .exitOverride()
    .configureOutput({
      writeOut: on.print,
      writeErr: on.complain,
      outputError: (text, write) =>
        write(
          `${text
            .trim()
            .replace(/^error: /, '')
            .replace(/\n+/g, ' ')}\n`,
        ),
    })
  serveCommand(program, on)
  for (const words of operatorCommands) operatorCommand(program, words, on)
  sealCommand(program, on)
  common(
    program.command('preview').description('JSON lines in, the requests they would send as JSON lines out'),
  ).action(() => on.preview())
  doctorCommand(program, on)
  return program
}

/** A mistake of ours keeps its stack; what an operator can mend is a sentence. */
const isBug = (problem: unknown) =>
  !(problem instanceof Error) || ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError'].includes(problem.name)

function exitOf(problem: unknown, on: ProgramWorld): number {
  if (problem instanceof CommanderError) {
    const isAsked = problem.exitCode === 0 // --help and --version
    return isAsked ? exits.done : problem.code === 'aglet.unwell' ? exits.failed : exits.wrongUsage
  }
  on.complain(`${isBug(problem) ? (problem as Error).stack : (problem as Error).message}\n`)
  if (problem instanceof SettingsProblem || problem instanceof WrongUsage) return exits.wrongUsage
  return problem instanceof Refused ? problem.exit : exits.failed
}

/** Runs one command line. Resolves with the exit code: 0 done, 1 failed, 2 wrong usage. */
export async function runProgram(words: readonly string[], on: ProgramWorld): Promise<number> {
  try {
    await programOf(on).parseAsync([...words], { from: 'user' })
    return exits.done
  } catch (problem) {
    return exitOf(problem, on)
  }
}

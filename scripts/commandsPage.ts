import type { Command } from 'commander'
import type { ProgramDeps } from '../src/cli/cliDeps.ts'
import { createProgram } from '../src/cli/program.ts'

/** The options of every command. Options of the API commands form a separate group. */
const everywhere = ['--json', '--data', '--environment', '--help']

const visible = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)

/** Whether a command has its own action: one with sub-commands may, such as `replay`. Commander exposes it only here. */
const hasAction = (command: Command) => '_actionHandler' in command && command._actionHandler !== null

/** The commands with an action, each with its words. */
function leaves(command: Command, words: readonly string[] = []): { words: string; command: Command }[] {
  return visible(command)
    .filter((each) => each.name() !== 'help')
    .flatMap((each) => {
      const own = [...words, each.name()]
      const below = leaves(each, own)
      return hasAction(each) || below.length === 0 ? [{ words: own.join(' '), command: each }, ...below] : below
    })
}

function rowOf({ words, command }: { words: string; command: Command }): string {
  const help = command.createHelp()
  const given = help
    .visibleArguments(command)
    .map((each) => (each.required ? ` <${each.name()}>` : ` [${each.name()}]`))
  const options = help
    .visibleOptions(command)
    .filter(({ long, helpGroupHeading }) => helpGroupHeading === undefined && !everywhere.includes(long ?? ''))
  const shown = options.map(({ flags, mandatory }) => (mandatory ? `**\`${flags}\`**` : `\`${flags}\``))
  return `| \`${words}${given.join('')}\` | ${command.description()} | ${shown.join(' ')} |`
}

/** docs/commands.md, generated from the command line. */
export function commandsPage(): string {
  const world = { version: '', print() {}, printError() {} } as unknown as ProgramDeps
  const rows = leaves(createProgram(world)).map(rowOf)
  return `# Commands

For everybody who works in a terminal. After this page you know every command and its options.

Written by \`npm run docs\` from the command line. Bold options are required; \`aglet <command> --help\` describes the value of each option.

Every command accepts \`--json\` (only one JSON value on standard output), \`--data\` and \`--environment production|sandbox\`. Commands
that call the API also accept \`--profile\`, or \`--base-url\` with \`--token\` or \`--token-file\`, and \`--team\`: see
[operating.md](operating.md).

| command | does | options |
|---|---|---|
${rows.join('\n')}
`
}

import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { workingFolder } from '#cli/api/workingFolder.ts'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import { endWith, jsonOption } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import type { ImportDeps } from '#import/channels.ts'
import { importGtm } from '#import/gtm/importGtm.ts'
import { ImportError, type ImportOptions, type ImportResult, importLimits } from '#import/importResult.ts'
import { formatReport, isComplete } from '#import/report.ts'
import { importRudderStack } from '#import/rudderStack.ts'
import { importSegment } from '#import/segment/importSegment.ts'
import { importZaraz } from '#import/zaraz.ts'

/** Reads an export file. Throws UsageError if it is missing or too large for an export. */
function readExportFile(path: string, folder: string): Uint8Array {
  const full = resolve(folder, path)
  try {
    const { size } = lstatSync(full)
    if (size > importLimits.bytes)
      throw new UsageError(
        `${path} has ${Math.ceil(size / 1e6)} MB; the limit is ${importLimits.bytes / 1e6} MB. Export only one container or workspace.`,
      )
    return readFileSync(full)
  } catch (problem) {
    if (problem instanceof UsageError) throw problem
    throw new UsageError(`${path} cannot be read. Write the path of the exported file.`)
  }
}

const exportFile = /\.(?:tf|json)$/
const mostFiles = 5_000

/** The files of an export by their paths: one file, or the `.tf` and `.json` files of a folder and its subfolders. */
function readExportFolder(path: string, folder: string): ReadonlyMap<string, Uint8Array> {
  const full = resolve(folder, path)
  if (!existsSync(full) || !lstatSync(full).isDirectory()) return new Map([[path, readExportFile(path, folder)]])
  const names = readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((name) => exportFile.test(name))
    .sort()
  if (names.length === 0) throw new UsageError(`${path} has no .tf or .json files.`)
  if (names.length > mostFiles) throw new UsageError(`${path} has ${names.length} files; the limit is ${mostFiles}.`)
  let bytes = 0
  const files = new Map<string, Uint8Array>()
  for (const name of names) {
    const content = readExportFile(join(full, name), folder)
    bytes += content.length
    if (bytes > importLimits.bytes)
      throw new UsageError(`${path} has more than ${importLimits.bytes / 1e6} MB of .tf and .json files.`)
    files.set(name, content)
  }
  return files
}

type OutputFile = { path: string; text: string; isSecret?: true }

/**
 * Writes all files or none: each is written to a temporary file beside its target and then renamed. Without `force`,
 * throws UsageError if a file already exists.
 */
function writeOutputs(outputs: readonly OutputFile[], { folder, force }: { folder: string; force: boolean }): void {
  const files = outputs.map((each) => ({
    ...each,
    full: resolve(folder, each.path),
    temporary: `${resolve(folder, each.path)}.${process.pid}.part`,
  }))
  const taken = files.find(({ full }) => existsSync(full))
  if (taken && !force)
    throw new UsageError(`${taken.path} already exists. Choose another file, or write --force to replace it.`)
  try {
    for (const { temporary, text, isSecret } of files)
      writeFileSync(temporary, text, { flag: 'wx', mode: isSecret ? 0o600 : 0o666 })
    for (const { temporary, full } of files) renameSync(temporary, full)
  } catch (problem) {
    throw new UsageError(
      `The files cannot be written (${(problem as NodeJS.ErrnoException).code}). Choose another folder.`,
    )
  } finally {
    for (const { temporary } of files) rmSync(temporary, { force: true })
  }
}

type ImportFlags = {
  tagName: string
  domain: string
  out: string
  report: string
  secretsFile: string
  web?: string
  force?: true
  json?: true
}
type Reader = (
  file: string,
  flags: ImportFlags,
  folder: string,
) => (options: ImportOptions, deps: ImportDeps) => ImportResult

const oneFile =
  (read: (file: Uint8Array, options: ImportOptions, deps: ImportDeps) => ImportResult): Reader =>
  (path, _, folder) => {
    const file = readExportFile(path, folder)
    return (options, deps) => read(file, options, deps)
  }

const products: Readonly<Record<string, { name: string; file: string; read: Reader }>> = {
  gtm: {
    name: 'a container of Google Tag Manager',
    file: 'the container of the server, or of the page',
    read: (path, { web }, folder) => {
      const server = readExportFile(path, folder)
      const page = web === undefined ? undefined : readExportFile(web, folder)
      return (options, deps) => importGtm({ server, ...(page && { web: page }) }, options, deps)
    },
  },
  zaraz: { name: 'a configuration of Zaraz', file: 'the exported configuration', read: oneFile(importZaraz) },
  segment: {
    name: 'a workspace of Segment',
    file: 'a folder of .tf files, or of answers of the Public API as .json files',
    read: (path, _, folder) => {
      const files = readExportFolder(path, folder)
      return (options, deps) => importSegment(files, options, deps)
    },
  },
  rudderstack: { name: 'a workspace of RudderStack', file: 'workspaceConfig.json', read: oneFile(importRudderStack) },
}

/** The files of an import. The configuration refers to the secrets file by relative path. */
async function outputsOf(result: ImportResult, flags: ImportFlags, secretsFile: string): Promise<OutputFile[]> {
  const { formatConfig } = await import('#cli/config/configFile.ts')
  const { configuration, inactive, secrets, report } = result
  const isJson = flags.report.endsWith('.json')
  return [
    { path: flags.secretsFile, text: `${JSON.stringify(secrets, undefined, 2)}\n`, isSecret: true },
    { path: flags.out, text: formatConfig(configuration, inactive) },
    {
      path: flags.report,
      text: isJson ? `${JSON.stringify(report, undefined, 2)}\n` : formatReport(report, secretsFile),
    },
  ]
}

const sentence = ({ report }: ImportResult, flags: ImportFlags) => {
  const { mapped, needsValue, needsDecision, notMapped } = report.counts
  return `${report.channels.length} channels in ${basename(flags.out)}. Of ${mapped + needsValue + needsDecision + notMapped} elements ${mapped} moved, ${needsValue} need a value, ${needsDecision} a decision, and ${notMapped} did not move: see ${basename(flags.report)}.\n`
}

async function runImport(product: string, file: string, flags: ImportFlags, deps: ProgramDeps): Promise<ImportResult> {
  const folder = workingFolder(deps.env)
  const { out, secretsFile } = flags
  const paths = [out, secretsFile, flags.report].map((path) => resolve(folder, path))
  if (new Set(paths).size < paths.length)
    throw new UsageError('--out, --report and --secrets-file must be three different files.')
  const reference = relative(dirname(paths[0]!), paths[1]!)
  try {
    const read = products[product]!.read(file, flags, folder)
    const result = read(
      { tagName: flags.tagName, domain: flags.domain, secretsFile: reference },
      await deps.importDeps(),
    )
    writeOutputs(await outputsOf(result, flags, reference), { folder, force: flags.force === true })
    return result
  } catch (problem) {
    if (problem instanceof ImportError) throw new UsageError(problem.message)
    throw problem
  }
}

/** The report's path: `aglet.report.md` for `aglet.yaml`. */
const reportBeside = (out: string) => `${out.replace(/\.(?:ya?ml|json)$/, '')}.report.md`

/** `import`: the exports of other products as configuration files. It calls no server. */
export function registerImport(program: Command, deps: ProgramDeps): void {
  const group = program.command('import').description('Commands of import')
  for (const [product, { name, file }] of Object.entries(products)) {
    const about = `Converts ${name} to a configuration file and a report, without calling a server`
    const command = group.command(product).description(about).argument('<file>', file)
    command
      .requiredOption('--tag-name <name>', 'the name of the tag')
      .requiredOption('--domain <domain>', 'the domain of the site, such as shop.example')
      .option('--out <path>', 'the configuration file to write', 'aglet.yaml')
      .option(
        '--report <path>',
        'the report to write: Markdown, or JSON for a name that ends in .json (beside the configuration file)',
      )
      .option('--secrets-file <path>', 'the file for tokens, which only you can read', 'secrets.json')
      .option('--force', 'replace files that exist')
      .addOption(jsonOption())
    if (product === 'gtm') command.option('--web <path>', 'the container of the page as well')
    command.action(async (path: string, given: Omit<ImportFlags, 'report'> & { report?: string }) => {
      const flags = { ...given, report: given.report ?? reportBeside(given.out) }
      const result = await runImport(product, path, flags, deps)
      deps.print(flags.json ? `${JSON.stringify(result.report)}\n` : sentence(result, flags))
      if (!isComplete(result.report)) throw endWith('unfinished')
    })
  }
}

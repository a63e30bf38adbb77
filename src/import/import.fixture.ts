import { parse } from 'yaml'
import { formatConfig, parseConfig } from '#cli/config/configFile.ts'
import { importDeps } from '#cli/operator/importDeps.ts'
import type { ImportedElement, ImportOptions, ImportResult } from './importResult.ts'
import { formatReport } from './report.ts'

export const deps = importDeps
export const options: ImportOptions = { tagName: 'shop', domain: 'shop.example', secretsFile: 'secrets.json' }

export const elementNamed = ({ report }: ImportResult, name: string): ImportedElement => {
  const found = report.elements.find((each) => each.name === name)
  if (!found) throw new Error(`no element ${name}`)
  return found
}
export const codesOf = (result: ImportResult, name: string) =>
  elementNamed(result, name).notes.flatMap(({ code }) => code ?? [])
export const scriptNamed = ({ configuration, inactive }: ImportResult, name: string) => {
  const found = [...configuration.tags[0].scripts, ...inactive].find((each) => each.name === name)
  if (!found) throw new Error(`no script ${name}`)
  return found
}

/** The texts that an import writes, after `aglet plan` has parsed the configuration. */
export function written(result: ImportResult) {
  const yaml = formatConfig(result.configuration, result.inactive)
  parseConfig(yaml)
  return { yaml, config: parse(yaml), report: formatReport(result.report, options.secretsFile) }
}

import { RE2JS } from 're2js'
import { regexIssueBy } from '#contract/rule/regexIssue.ts'
import { catalogueOf, type ImportDeps, type ProviderFacts } from '#import/channels.ts'
import { ImportError, type ImportResult } from '#import/importResult.ts'
import type { ImportProduct } from '#import/json.ts'
import { readExport } from '#import/readExport.ts'
import { formatReport } from '#import/report.ts'

export type ImportAsked = {
  files: ReadonlyMap<string, Uint8Array>
  product: ImportProduct | undefined
  providers: ProviderFacts[]
}
/** The result with the report as Markdown, or the message for a file that is not an export. */
export type ImportAnswer = { result: ImportResult; report: string } | { refused: string } | { failed: true }

/** The address of this script, from which a page starts the worker. */
export const workerAddress = import.meta.url

const secretsFile = 'secrets.json'
const regexIssue = regexIssueBy((pattern) => RE2JS.compile(pattern).programSize())

/** The server checks the values: those checks are server code, which a page does not have. */
const depsOf = (providers: ProviderFacts[]): ImportDeps => ({ catalogue: catalogueOf({ providers }), regexIssue })

function answerTo({ files, product, providers }: ImportAsked): ImportAnswer {
  try {
    // The page names the tag later.
    const result = readExport(files, { tagName: '', domain: '', secretsFile }, { ...depsOf(providers), product })
    return { result, report: formatReport(result.report, secretsFile) }
  } catch (problem) {
    return problem instanceof ImportError ? { refused: problem.message } : { failed: true }
  }
}

if (typeof document === 'undefined')
  addEventListener('message', ({ data }: MessageEvent<ImportAsked>) => postMessage(answerTo(data)))

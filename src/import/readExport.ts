import type { ImportDeps } from './channels.ts'
import { importGtm } from './gtm/importGtm.ts'
import { ImportError, type ImportOptions, type ImportResult } from './importResult.ts'
import { type ImportProduct, member, membersOf, objectOf, parseExport, productOf } from './json.ts'
import { importRudderStack } from './rudderStack.ts'
import { importSegment } from './segment/importSegment.ts'
import { importZaraz } from './zaraz.ts'

/** The files of an export by name. */
type ExportFiles = ReadonlyMap<string, Uint8Array>

const isTerraform = (files: ExportFiles) => [...files.keys()].some((name) => name.toLowerCase().endsWith('.tf'))

/**
 * The product of an export, by its first file. Terraform files are Segment's. Throws ImportError for an unknown product,
 * and for one other than `wanted`.
 */
function findProduct(files: ExportFiles, wanted: ImportProduct | undefined): ImportProduct {
  if (isTerraform(files)) return wanted ?? 'segment'
  const first = parseExport([...files.values()][0] ?? '')
  // The Zaraz API returns the configuration in `result`.
  const found = productOf(first) ?? productOf(objectOf(member(first, 'result')))
  if (wanted !== undefined && found && found.product !== wanted)
    throw new ImportError(`The file is ${found.name}. Choose this product, or detect it from the file.`)
  const product = wanted ?? found?.product
  if (product) return product
  throw new ImportError(
    `The file is not an export of Google Tag Manager, Zaraz, Segment or RudderStack. Its members are ${membersOf(first)}.`,
  )
}

/** The file of a product whose export is a single file. */
function onlyFile(files: ExportFiles): Uint8Array {
  const [file, ...others] = files.values()
  if (!file || others.length > 0) throw new ImportError('Choose one file: this product exports a single file.')
  return file
}

function readGtm(files: ExportFiles, options: ImportOptions, deps: ImportDeps): ImportResult {
  const [server, web, ...others] = files.values()
  if (others.length > 0) throw new ImportError('Choose at most two files: the server container and the web container.')
  return importGtm({ ...(server && { server }), ...(web && { web }) }, options, deps)
}

const readers: Record<ImportProduct, (files: ExportFiles, options: ImportOptions, deps: ImportDeps) => ImportResult> = {
  gtm: readGtm,
  zaraz: (files, options, deps) => importZaraz(onlyFile(files), options, deps),
  segment: importSegment,
  rudderstack: (files, options, deps) => importRudderStack(onlyFile(files), options, deps),
}

/** Reads an export of the given product, by default the product of its first file. Throws ImportError. */
export const readExport = (
  files: ExportFiles,
  options: ImportOptions,
  deps: ImportDeps & { product?: ImportProduct | undefined },
): ImportResult => readers[findProduct(files, deps.product)](files, options, deps)

import { lstatSync, readFileSync } from 'node:fs'
import { UsageError } from '#cli/operatorCall.ts'
import { isRecord } from '#contract/isRecord.ts'
import { asSentence } from '#contract/issueSentence.ts'
import { compileValidator } from '#contract/validator.ts'
import { GivenVendorList } from '#contract/vendorList.ts'

const maxBytes = 8 * 1024 * 1024
const checkList = compileValidator(GivenVendorList)
const dateForm = /^\d{4}-\d{2}-\d{2}(T|$)/

/** Reads a file with a Global Vendor List. Throws UsageError. */
export function readVendorFile(path: string): GivenVendorList {
  let text: string
  try {
    const { size } = lstatSync(path)
    if (size > maxBytes)
      throw new UsageError(`${path} has ${Math.ceil(size / 1e6)} MB; the limit for a vendor list is 8 MB.`)
    text = readFileSync(path, 'utf8')
  } catch (problem) {
    if (problem instanceof UsageError) throw problem
    throw new UsageError(`${path} cannot be read. Write the path of vendor-list.json.`)
  }
  return parseVendorList(text)
}

/** Reads the text of a Global Vendor List, version 3 of the format. Throws UsageError. */
export function parseVendorList(text: string): GivenVendorList {
  const given = parse(text)
  if (!isRecord(given) || !isRecord(given.vendors))
    throw new UsageError('This is not a Global Vendor List: it has no vendors.')
  const { gvlSpecificationVersion, vendorListVersion, lastUpdated, vendors } = given
  if (gvlSpecificationVersion !== 3)
    throw new UsageError('Only version 3 of the format is supported: gvlSpecificationVersion must be 3.')
  const list = {
    version: vendorListVersion,
    date: typeof lastUpdated === 'string' && dateForm.test(lastUpdated) ? lastUpdated.slice(0, 10) : lastUpdated,
    vendors: Object.entries(vendors).map(([id, vendor]) => shortVendor(id, vendor)),
  }
  const [issue] = checkList(list)
  if (issue) throw new UsageError(`This is not a Global Vendor List: ${issue.path} ${asSentence(issue.message)}`)
  return list as GivenVendorList
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('The vendor list is not JSON.')
  }
}

function shortVendor(key: string, vendor: unknown) {
  if (!isRecord(vendor) || `${vendor.id}` !== key)
    throw new UsageError(
      `This is not a Global Vendor List: the id of vendor ${key.slice(0, 20)} does not match its key.`,
    )
  const { id, purposes, legIntPurposes, flexiblePurposes, deletedDate } = vendor
  if (deletedDate !== undefined && deletedDate !== null) return { id, purposes: [], interests: [], flexible: [] }
  return { id, purposes, interests: legIntPurposes, flexible: flexiblePurposes }
}

import fc from 'fast-check'

// Imported by name at run time, so that a checkout without the test oracle still type-checks.
export const { GppModel } = await import('@iabgpp/cmpapi' as string)
export type GppTestModel = {
  setFieldValue(section: string, field: string, value: unknown): void
  getFieldValue(section: string, field: string): unknown
  getSectionIds(): number[]
  encode(): string
}

const names = [
  ...['usnat', 'usca', 'usva', 'usco', 'usut', 'usct', 'usfl', 'usmt', 'usor', 'ustx', 'usde'],
  ...['usia', 'usne', 'usnh', 'usnj', 'ustn', 'usmn', 'usmd', 'usin', 'usky', 'usri'],
]
const optOuts = ['SaleOptOut', 'SharingOptOut', 'TargetedAdvertisingOptOut'] as const
const lists = ['SensitiveDataProcessing', 'KnownChildSensitiveDataConsents'] as const
const hasGpc = (name: string) => !['usva', 'usut', 'usfl', 'usin', 'usky', 'usri'].includes(name)

export type GppFields = Record<string, number | number[] | boolean>
/** Encodes a section that the model supports, with these field values. */
export function encodeGpp(sections: readonly (readonly [string, GppFields])[]): { text: string; model: GppTestModel } {
  const model: GppTestModel = new GppModel()
  for (const [name, fields] of sections)
    for (const [field, value] of Object.entries(fields)) {
      try {
        model.setFieldValue(name, field, value)
      } catch {
        // the section does not have this field
      }
    }
  const text = model.encode()
  return { text, model: new GppModel(text) }
}
export const fieldValue = (model: GppTestModel, name: string, field: string) => {
  try {
    return model.getFieldValue(name, field) as number | number[] | boolean | undefined
  } catch {
    return undefined
  }
}
const lengthOf = (name: string, field: string) => {
  const model: GppTestModel = new GppModel()
  model.setFieldValue(name, 'SaleOptOut', 0)
  const value = fieldValue(model, name, field)
  return Array.isArray(value) ? value.length : 0
}

const two = fc.constantFrom(0, 1, 2)
const fieldsOf = (name: string): fc.Arbitrary<GppFields> => {
  const values: Record<string, fc.Arbitrary<number | number[] | boolean>> = {}
  for (const field of optOuts) values[field] = two
  for (const field of lists) {
    const length = lengthOf(name, field)
    values[field] = length ? fc.array(fc.constantFrom(0, 0, 2, 1), { minLength: length, maxLength: length }) : two
  }
  if (hasGpc(name)) values.Gpc = fc.boolean()
  return fc.record(values)
}
export const gppSectionFields = fc.constantFrom(...names).chain((name) => fc.tuple(fc.constant(name), fieldsOf(name)))
/** Some US state sections, with the fields that a decision reads. */
export const gppSections = fc.uniqueArray(gppSectionFields, { minLength: 1, maxLength: 4, selector: ([name]) => name })

import { type Static, Type } from './schema.ts'

const Purposes = Type.Array(Type.Integer({ minimum: 1, maximum: 24 }), { maxItems: 24 })

/**
 * A reduced Global Vendor List: for each vendor, the purposes by consent, by legitimate interest, and those for which a
 * publisher may choose. A vendor that the list marks as deleted declares nothing.
 */
export const GivenVendorList = Type.Object({
  version: Type.Integer({ minimum: 1, maximum: 4_095, description: 'of the list' }),
  date: Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' }),
  vendors: Type.Array(
    Type.Object({
      id: Type.Integer({ minimum: 1, maximum: 65_535 }),
      purposes: Purposes,
      interests: Purposes,
      flexible: Purposes,
    }),
    { maxItems: 10_000 },
  ),
})
export type GivenVendorList = Static<typeof GivenVendorList>

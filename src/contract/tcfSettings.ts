import { OptionalFlag, type Static, Type } from './schema.ts'

const Purposes = Type.Array(Type.Integer({ minimum: 1, maximum: 24 }), { maxItems: 24 })

/** How a tag reads TC strings. Absent members have their defaults. */
export const TcfSettings = Type.Object(
  {
    purposes: Type.Optional(
      Type.Object({
        advertising: Type.Optional(Purposes),
        analytics: Type.Optional(Purposes),
        functional: Type.Optional(Purposes),
      }),
    ),
    requireVendor: OptionalFlag('whether a vendor must be disclosed and have consent itself (true)'),
    allowLegitimateInterest: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 24 }), {
        maxItems: 24,
        description: 'the purposes for which legitimate interest suffices ([7,8,9,10]); never 1 and 3 to 6',
      }),
    ),
    maxAgeDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'an older string counts as none (390)' }),
    ),
  },
  {
    description:
      'how TC strings are read; `purposes`: those that a category needs ({"advertising":[1,3,4,7],"analytics":[1,8,9],"functional":[1,5,6]})',
  },
)
export type TcfSettings = Static<typeof TcfSettings>

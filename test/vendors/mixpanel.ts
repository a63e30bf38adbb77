import { Type } from '#contract/schema.ts'
import { basicOf, type Got, insist, keyProblem, type MockVendor, text, unless } from './vendor.ts'

const nobody =
  /^(00000000-0000-0000-0000-000000000000|anon|anonymous|nil|none|null|n\/a|na|undefined|unknown|<nil>|0|-1|true|false|\[\]|\{\})$/
const Row = Type.Object(
  {
    event: text,
    properties: Type.Object(
      {
        time: Type.Integer({ minimum: 31_536_000_000 }),
        distinct_id: Type.String({ maxLength: 255 }),
        $insert_id: Type.String({ pattern: '^[A-Za-z0-9-]{1,36}$' }),
        ip: Type.Optional(text),
        $user_id: Type.Optional(text),
        $device_id: Type.Optional(text),
      },
      { maxProperties: 254 },
    ),
  },
  { additionalProperties: false },
)
const insistRow = insist(Row)
const insistRows = insist(Type.Array(Type.Object({}), { minItems: 1, maxItems: 2_000 }))

/** Problems that no schema covers: placeholder ids, long lists, deep nesting. `levels`: the maximum depth of a property. */
function nestedProblems(value: unknown, levels: number): string[] {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.values(value)
  return [
    ...unless(levels > 0, 'A property is nested too deeply.'),
    ...unless(members.length < 255, 'A list or an object has too many members.'),
    ...(levels > 0 ? members.flatMap((each) => nestedProblems(each, levels - 1)) : []),
  ]
}

const rowProblems = (row: unknown): string[] => {
  const { distinct_id, $insert_id, ...properties } = ((row ?? {}) as { properties?: Record<string, unknown> })
    .properties ?? { distinct_id: '' }
  return [
    ...insistRow(row),
    ...unless(![distinct_id, $insert_id].some((id) => nobody.test(String(id).toLowerCase())), 'The id is no id.'),
    ...Object.values(properties).flatMap((each) => nestedProblems(each, 3)),
  ]
}

const rowsOf = ({ json }: Got): unknown[] => (Array.isArray(json) ? json : [])

function invalid(says: string, got: Got) {
  const failed = rowsOf(got).flatMap((row, index) =>
    rowProblems(row).map((message) => ({ index, field: 'properties', message })),
  )
  const failed_records = failed.length > 0 ? failed : [{ index: 0, field: 'properties', message: says }]
  const num_records_imported = rowsOf(got).length - new Set(failed_records.map(({ index }) => index)).size
  const error = `some data points in the request failed validation: ${says}`
  return { status: 400, json: { code: 400, error, failed_records, num_records_imported, status: 'Bad Request' } }
}

/** https://docs.mixpanel.com/reference/import-events: with a 400, it still stores the valid events. */
export const mixpanel: MockVendor = {
  hosts: /^api(-eu|-in)?\.mixpanel\.com$/,
  check(got) {
    const { user, password } = basicOf(got) ?? {}
    return {
      key: [
        ...keyProblem(user),
        ...unless(!password || /^\d+$/.test(got.query.project_id ?? ''), 'project_id is missing.'),
      ],
      payload: [
        ...unless(got.method === 'POST' && got.path === '/import', 'The path is not there.'),
        ...unless(got.query.strict === '1', 'strict is missing.'),
        ...unless(/^application\/json/.test(got.headers['content-type'] ?? ''), 'Unsupported media type.'),
        ...insistRows(got.json),
        ...rowsOf(got).flatMap(rowProblems),
      ],
    }
  },
  good: (got) => ({ status: 200, json: { code: 200, num_records_imported: rowsOf(got).length, status: 'OK' } }),
  failures: {
    badKey: { reply: (error) => ({ status: 401, json: { code: 401, error, status: 0 } }), means: 'keyRejected' },
    badPayload: { reply: invalid, means: 'payloadRefused' },
    tooLarge: { reply: (error) => ({ status: 413, json: { code: 413, error } }), means: 'payloadRefused' },
    throttled: { reply: (error) => ({ status: 429, json: { code: 429, error } }), means: 'throttled' },
  },
}

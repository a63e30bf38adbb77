import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../test/fake/postgresServer.ts'
import { type ElementType, toBinaryArray } from './binaryArrays.ts'
import { type Database, openDatabase, type SqlValue } from './database.ts'
import { migrate } from './migrate.ts'

const skip = await skipWithoutPostgres()

describe('a binary array', { skip }, () => {
  let server: PostgresServer
  let database: Database
  before(async () => {
    server = await startPostgres()
    database = openDatabase({ url: server.url, schema: 'production', connections: 1 })
    await migrate(database)
  })
  after(async () => {
    await database.close()
    await server.stop()
  })
  const withNulls = <Value>(values: fc.Arbitrary<Value>) => fc.array(fc.option(values, { freq: 4 }), { maxLength: 40 })
  /** The array as the server reads it, as JSON. */
  const read = async (type: ElementType, values: readonly SqlValue[]) => {
    const rows = await database.sql(`SELECT array_to_json($1::${type}[]) AS values`, [toBinaryArray(type, values)])
    return rows[0]!.values
  }
  const types = [
    ['int8', withNulls(fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }))],
    ['int4', withNulls(fc.integer())],
    ['bool', withNulls(fc.boolean())],
    ['text', withNulls(fc.string({ unit: anyCodePoint, maxLength: 200 }))],
  ] as const
  for (const [type, arrays] of types)
    test(`of ${type} is read with its values, and its nulls`, async () => {
      const property = fc.asyncProperty(arrays as fc.Arbitrary<SqlValue[]>, async (values) => {
        const expected = values.map((value) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value))
        assert.deepEqual(await read(type, values), expected)
      })
      await fc.assert(property, { numRuns: 60 })
    })

  test('of bytes and of numbers of 64 bits is read with its values', async () => {
    const int8 = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 40 })
    const property = fc.asyncProperty(fc.array(fc.uint8Array(), { maxLength: 40 }), int8, async (bytea, numbers) => {
      const text = `SELECT ARRAY(SELECT encode(each, 'hex') FROM unnest($1::bytea[]) AS each) AS bytea, $2::int8[]::text[] AS int8`
      const rows = await database.sql(text, [toBinaryArray('bytea', bytea), toBinaryArray('int8', numbers)])
      assert.deepEqual(rows, [
        { bytea: bytea.map((bytes) => Buffer.from(bytes).toString('hex')), int8: numbers.map(String) },
      ])
    })
    await fc.assert(property, { numRuns: 60 })
  })

  test('of a text with a lone surrogate, which UTF-8 cannot contain, has a replacement character', async () => {
    assert.deepEqual(await read('text', ['a\ud800b']), ['a\ufffdb'])
  })
})

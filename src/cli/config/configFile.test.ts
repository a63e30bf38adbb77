import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '#cli/operatorCall.ts'
import { formatConfig, parseConfig } from './configFile.ts'

const yaml = `
tags:
  - name: shop
    domain: shop.example.com
    gpc: true
    scripts:
      - name: warehouse
        providerId: eventSink
        geoRegions: EU,US
        secrets:
          EVENT_SINK_URL: https://warehouse.example.com/in
          EVENT_SINK_SECRET: { env: SINK_SECRET }
`

const assertUsageError = (text: string, sentence: RegExp) => {
  assert.throws(
    () => parseConfig(text),
    (problem: Error) =>
      problem instanceof UsageError && sentence.test(problem.message) && !problem.message.includes('\n'),
  )
}

test('the same configuration is parsed from YAML and JSON', () => {
  const config = parseConfig(yaml)
  assert.deepEqual(config.tags[0]?.scripts?.[0]?.secrets?.EVENT_SINK_SECRET, { env: 'SINK_SECRET' })
  assert.deepEqual(parseConfig(JSON.stringify(config)), config)
})

test('a formatted configuration is parsed to the same configuration', () => {
  const config = parseConfig(yaml)
  assert.deepEqual(parseConfig(formatConfig(config)), config)
  assert.match(formatConfig(config), /^# Tags and scripts[^\n]*\n# A secret[^\n]*\n\n?tags:/)
})

test('a misspelt name is an error that gives its path and the nearest name', () => {
  assertUsageError(
    yaml.replace('geoRegions', 'geoRegion'),
    /tags\.0\.scripts\.0\.geoRegion is not a known field: did you mean geoRegions\?/,
  )
  assertUsageError(yaml.replace('gpc', 'gcp'), /tags\.0\.gcp is not a known field: did you mean gpc\?/)
  assertUsageError(yaml.replace('tags', 'tag'), /tag is not a known field: did you mean tags\?/)
})

test('an invalid value is an error that gives its path', () => {
  assertUsageError(yaml.replace('true', 'perhaps'), /tags\.0\.gpc/)
  assertUsageError(yaml.replace('eventSink', 'eventSnik'), /tags\.0\.scripts\.0\.providerId/)
  assertUsageError(yaml.replace('env:', 'environment:'), /tags\.0\.scripts\.0\.secrets\.EVENT_SINK_SECRET/)
  assertUsageError('tags: shop', /tags/)
  assertUsageError('', /the file/)
})

test('a number in a text field is an error, because it may have lost digits', () => {
  assertUsageError(yaml.replace('https://warehouse.example.com/in', '12345678901234567890'), /EVENT_SINK_URL/)
})

test('a YAML syntax error gives its line', () => {
  assertUsageError('tags:\n  - name: [\n', /^Line \d+: /)
})

test('two tags with one name, or two scripts of a tag, are an error', () => {
  const [tag] = parseConfig(yaml).tags
  assertUsageError(JSON.stringify({ tags: [tag, tag] }), /tags\.1\.name repeats the name shop/)
  const scripts = [...tag!.scripts!, ...tag!.scripts!]
  assertUsageError(
    JSON.stringify({ tags: [{ ...tag, scripts }] }),
    /tags\.0\.scripts\.1\.name repeats the name warehouse/,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WrongUsage } from '../call.ts'
import { configText, readConfig } from './file.ts'

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

const says = (text: string, sentence: RegExp) => {
  assert.throws(
    () => readConfig(text),
    (problem: Error) =>
      problem instanceof WrongUsage && sentence.test(problem.message) && !problem.message.includes('\n'),
  )
}

test('YAML and JSON are read alike', () => {
  const config = readConfig(yaml)
  assert.deepEqual(config.tags[0]?.scripts?.[0]?.secrets?.EVENT_SINK_SECRET, { env: 'SINK_SECRET' })
  assert.deepEqual(readConfig(JSON.stringify(config)), config)
})

test('what is written is read again as it was', () => {
  const config = readConfig(yaml)
  assert.deepEqual(readConfig(configText(config)), config)
  assert.match(configText(config), /^# Tags and scripts[^\n]*\n# A secret[^\n]*\n\n?tags:/)
})

test('a misspelt name is an error that says where it stands and what was meant', () => {
  says(
    yaml.replace('geoRegions', 'geoRegion'),
    /tags\.0\.scripts\.0\.geoRegion is not known: did you mean geoRegions\?/,
  )
  says(yaml.replace('gpc', 'gcp'), /tags\.0\.gcp is not known: did you mean gpc\?/)
  says(yaml.replace('tags', 'tag'), /tag is not known: did you mean tags\?/)
})

test('what a field does not take is an error with its place', () => {
  says(yaml.replace('true', 'perhaps'), /tags\.0\.gpc/)
  says(yaml.replace('eventSink', 'eventSnik'), /tags\.0\.scripts\.0\.providerId/)
  says(yaml.replace('env:', 'environment:'), /tags\.0\.scripts\.0\.secrets\.EVENT_SINK_SECRET/)
  says('tags: shop', /tags/)
  says('', /the file/)
})

test('a number where a text is wanted is not taken for one: it may have lost digits', () => {
  says(yaml.replace('https://warehouse.example.com/in', '12345678901234567890'), /EVENT_SINK_URL/)
})

test('broken YAML is told with its line', () => {
  says('tags:\n  - name: [\n', /^Line \d+: /)
})

test('two tags, or two scripts of a tag, with one name are an error', () => {
  const [tag] = readConfig(yaml).tags
  says(JSON.stringify({ tags: [tag, tag] }), /tags\.1\.name repeats the name shop/)
  const scripts = [...tag!.scripts!, ...tag!.scripts!]
  says(JSON.stringify({ tags: [{ ...tag, scripts }] }), /tags\.0\.scripts\.1\.name repeats the name warehouse/)
})

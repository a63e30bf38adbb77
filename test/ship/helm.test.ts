import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readSettings } from '#runtime/settings.ts'
import { environment, root, run } from './firstEvent.ts'

/** deploy/helm/aglet, without a cluster. `npm run test:helm` builds helm and kubeconform. */
const folder = mkdtempSync(join(tmpdir(), 'aglet-helm-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const chart = join(root, 'deploy/helm/aglet')
const cache = join(root, 'node_modules/.cache/aglet')
const env = {
  ...environment,
  PATH: `${join(cache, 'go')}:${process.env.PATH}`,
  HELM_CACHE_HOME: folder,
  HELM_CONFIG_HOME: folder,
}
const call = async (program: string, ...words: string[]) =>
  (await run(program, words, { env, maxBuffer: 2 ** 26 })).stdout

/** The schemas of Kubernetes, from a package of the Python registry. */
const schemas = join(cache, 'kubernetes-schemas-1.37.0')
/** The oldest version in the chart, and the newest in the package. */
const versions = ['1.27.0', '1.37.0']

/** The schemas name each other by addresses of a server; kubeconform needs paths of files. */
function makeLocal(file: string): void {
  const { $id: _, ...schema } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(schema).replaceAll('"/api/_definitions.json#', '"_definitions.json#'))
}

before(async () => {
  if (existsSync(schemas)) return
  const wheel = ['--no-deps', '--dest', folder, 'kubernetes-validate==1.37.0']
  await call('python3', '-m', 'pip', 'download', '--quiet', ...wheel)
  const unpacked = join(folder, 'schemas')
  await run('sh', ['-c', `python3 -m zipfile -e ${folder}/*.whl ${unpacked}`])
  const all = join(unpacked, 'kubernetes_validate/kubernetes-json-schema')
  for (const version of versions)
    for (const file of globSync(`v${version}-local-strict/*.json`, { cwd: all })) makeLocal(join(all, file))
  mkdirSync(cache, { recursive: true })
  await run('mv', [all, schemas])
})

type Values = Record<string, unknown>
const origin = 'https://aglet.example.com'

function fileOf(values: Values): string {
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  return file
}
const template = (values: Values, version = versions[0]!) =>
  call('helm', 'template', 'shop', chart, '--kube-version', version, '--values', fileOf(values))

const all: Values = {
  origin,
  image: { repository: 'registry.example.com/aglet', tag: '1.2.3', pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'pull' }],
  trustProxy: '10.0.0.0/8',
  settings: { AGLET_KEEP_BODIES: 'failed', AGLET_KEEP_JOURNAL_DAYS: 14 },
  rootKey: { secretName: 'keys', secretKey: 'root.key' },
  storage: { size: '100Gi', className: 'fast' },
  seccompProfile: { type: 'Localhost', localhostProfile: 'aglet.json' },
  service: { type: 'ClusterIP', port: 8080, annotations: { a: 'b' } },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { a: 'b' },
    hosts: ['aglet.example.com', 'd.example.com'],
    tlsSecretName: 'tls',
  },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { a: 'b' } } }] },
  podAnnotations: { a: 'b' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
}
const minimal: Values = { origin }

const location = `${schemas}/{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json`
const validate = (manifests: string, version: string) =>
  call('kubeconform', '-strict', '-kubernetes-version', version, '-schema-location', location, manifests)

for (const [name, values] of Object.entries({ minimal, all })) {
  test(`helm lint accepts the chart with ${name} values`, async () => {
    await call('helm', 'lint', '--strict', chart, '--values', fileOf(values))
  })

  test(`the manifests of ${name} values match the schemas of Kubernetes`, async () => {
    for (const version of versions) {
      const manifests = join(folder, `${name}-${version}.yaml`)
      writeFileSync(manifests, await template(values, version))
      await validate(manifests, version)
    }
  })
}

type Manifest = {
  kind: string
  spec: { template: { spec: { containers: { env: { name: string; value?: string }[] }[] } } }
}
const manifestsOf = (text: string) => parseAllDocuments(text).map((each) => each.toJS() as Manifest)

test('a misspelt field of a manifest is refused', async () => {
  const manifests = join(folder, 'misspelt.yaml')
  writeFileSync(manifests, (await template(minimal)).replace('runAsNonRoot:', 'runAsNonRoott:'))
  await assert.rejects(validate(manifests, versions[0]!), ({ stdout }) => /runAsNonRoott/.test(stdout))
})

test('the variables of the pod are settings of Aglet', async () => {
  const made = manifestsOf(await template({ ...all, rootKey: { secretName: '' } }))
  assert.deepEqual(made.map(({ kind }) => kind).sort(), ['Ingress', 'NetworkPolicy', 'Service', 'StatefulSet'])
  const { containers } = made.find(({ kind }) => kind === 'StatefulSet')!.spec.template.spec
  const variables = Object.fromEntries(containers[0]!.env.map(({ name, value }) => [name, value]))
  const settings = readSettings(variables, { host: '0.0.0.0' })
  assert.deepEqual([settings.origin, settings.keepBodies, settings.keepJournalDays], [origin, 'failed', 14])
})

test('a missing origin or an unknown value is refused by a message that names it', async () => {
  await assert.rejects(template({}), ({ stderr }) => /write what callers see, such as --set origin=/.test(stderr))
  await assert.rejects(template({ ...minimal, orign: 'x' }), ({ stderr }) => /orign/.test(stderr))
})

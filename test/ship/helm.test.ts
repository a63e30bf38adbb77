import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readSettings } from '#settings/settings.ts'
import { environment, root, run } from './firstEvent.ts'
import { manifestsOf, podOf, routesOf, variablesOf } from './manifest.ts'

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

/** The Kubernetes schemas, from a Python package. */
const schemas = join(cache, 'kubernetes-schemas-1.37.0')
/** The oldest version in the chart, and the newest in the package. */
const versions = ['1.27.0', '1.37.0']

/** Makes schemas refer to each other by file path, as kubeconform needs, instead of by URL. */
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
  rootKey: { secretName: 'keys', secretKey: 'root.key', secretKeyBefore: '' },
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
const roles: Values = { origin, rootKey: { secretName: 'keys' }, database: { secretName: 'db' } }
const allRoles: Values = {
  ...all,
  rootKey: { secretName: 'keys', secretKey: 'root.key', secretKeyBefore: 'before.key' },
  database: { secretName: 'db', urlKey: 'control', streamUrlKey: 'shards', syncStandbys: 2 },
  control: { replicas: 1, resources: { requests: { cpu: '100m' } } },
  edge: { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 9, cpuPercent: 50 } },
  worker: { replicas: 4, resources: { limits: { memory: '2Gi' } } },
  spreadOver: ['kubernetes.io/hostname'],
}

const location = `${schemas}/{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}/{{.ResourceKind}}{{.KindSuffix}}.json`
const validate = (manifests: string, version: string) =>
  call('kubeconform', '-strict', '-kubernetes-version', version, '-schema-location', location, manifests)

for (const [name, values] of Object.entries({ minimal, all, roles, allRoles })) {
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

test('a misspelt field of a manifest is refused', async () => {
  const manifests = join(folder, 'misspelt.yaml')
  writeFileSync(manifests, (await template(minimal)).replace('runAsNonRoot:', 'runAsNonRoott:'))
  await assert.rejects(validate(manifests, versions[0]!), ({ stdout }) => /runAsNonRoott/.test(stdout))
})

test('the variables of the pod are settings of Aglet', async () => {
  const made = manifestsOf(await template({ ...all, rootKey: { secretName: '' } }))
  assert.deepEqual(made.map(({ kind }) => kind).sort(), ['Ingress', 'NetworkPolicy', 'Service', 'StatefulSet'])
  const variables = variablesOf(podOf(made, 'StatefulSet', 'shop-aglet'))
  const settings = readSettings(variables, { host: '0.0.0.0' })
  assert.deepEqual([settings.origin, settings.keepBodies, settings.keepJournalDays], [origin, 'failed', 14])
})

test('with a database each role has pods without a volume that is kept, and their variables are settings of Aglet', async () => {
  const made = manifestsOf(await template(allRoles))
  const secrets = {
    control: 'postgres://a@h1,h2/b',
    shards: 'postgres://a@h3/b',
    'root.key': 'new',
    'before.key': 'old',
  }
  for (const [role, replicas] of Object.entries({ control: 1, edge: undefined, worker: 4 })) {
    const pod = podOf(made, 'Deployment', `shop-aglet-${role}`)
    assert.equal(pod.replicas, replicas, role)
    const settings = readSettings(variablesOf(pod, secrets), { host: '0.0.0.0' })
    assert.deepEqual([settings.role, settings.databaseUrl], [role, secrets.control])
    assert.deepEqual([settings.streamUrl, settings.syncStandbys], [[secrets.shards], 2])
    assert.deepEqual([settings.rootKey, settings.rootKeyBefore], ['new', 'old'])
    const data = pod.template.spec.volumes.find(({ name }) => name === 'data')
    assert.deepEqual(
      data,
      { name: 'data', emptyDir: {} },
      'a volume in memory would be fuller than events are taken with',
    )
    assert.ok(pod.template.spec.terminationGracePeriodSeconds >= 40, 'a worker releases its slots within 30 seconds')
  }
  const kinds = made.map(({ kind }) => kind)
  for (const [kind, count] of Object.entries({ StatefulSet: 0, PersistentVolumeClaim: 0, PodDisruptionBudget: 3 }))
    assert.equal(kinds.filter((each) => each === kind).length, count, kind)
})

test('each Service and each disruption budget selects the pods of its role', async () => {
  const made = manifestsOf(await template(roles))
  const found: string[] = []
  for (const { kind, metadata, spec } of made.filter(({ kind }) => /^(Service|PodDisruptionBudget)$/.test(kind))) {
    const selector = Object.entries(spec.selector.matchLabels ?? spec.selector)
    const pods = made.filter(({ kind, spec: { template: pod } }) => {
      return kind === 'Deployment' && selector.every(([label, value]) => pod.metadata.labels[label] === value)
    })
    assert.deepEqual(
      pods.map((pod) => pod.metadata.name),
      [metadata.name],
    )
    found.push(`${kind} ${metadata.name}`)
  }
  const expected = ['PodDisruptionBudget', 'Service'].flatMap((kind) =>
    ['control', 'edge'].map((role) => `${kind} shop-aglet-${role}`),
  )
  assert.deepEqual(found.sort(), [...expected, 'PodDisruptionBudget shop-aglet-worker'].sort())
})

test('the ingress leads tag URLs and other hosts to the edges, and all else of the origin to control', async () => {
  const [own, other] = ['aglet.example.com', 'd.example.com']
  assert.deepEqual(routesOf(manifestsOf(await template({ ...all }))), {
    [own]: { '/': 'shop-aglet' },
    [other]: { '/': 'shop-aglet' },
  })
  const edge = 'shop-aglet-edge'
  assert.deepEqual(routesOf(manifestsOf(await template(allRoles))), {
    [own]: { '/t/': edge, '/sandbox/t/': edge, '/': 'shop-aglet-control' },
    [other]: { '/': edge },
  })
})

const refusals: readonly [values: Values, sentence: RegExp][] = [
  [{ worker: { replicas: 3 } }, /worker\.replicas is set without a database: .* Write database\.secretName/],
  [{ edge: { replicas: 1 } }, /edge\.replicas is set without a database/],
  [{ edge: { autoscaling: { enabled: true } } }, /edge\.autoscaling\.enabled is set without a database/],
  [
    { database: { streamUrlKey: 'shards' } },
    /database\.streamUrlKey is set without a database: write database\.secretName/,
  ],
  [{ rootKey: { secretKeyBefore: 'x' } }, /rootKey\.secretKeyBefore is set without a database/],
  [{ database: { secretName: 'db' } }, /rootKey\.secretName is not: all pods need the same root key/],
  [
    { settings: { AGLET_DATABASE_URL: 'postgres://a@h/b' } },
    /AGLET_DATABASE_URL is set: write it as database\.secretName/,
  ],
  [{ settings: { AGLET_ROLE: 'edge' } }, /settings\.AGLET_ROLE is set: remove it/],
  [{ ...roles, edge: { replicas: 2, autoscaling: { enabled: true } } }, /Write edge\.autoscaling\.minReplicas/],
  [{ ...roles, edge: { autoscaling: { enabled: true, minReplicas: 9 } } }, /maxReplicas is 6, fewer than .*, 9/],
  [{ ...roles, edge: { autoscaling: { enabled: true }, resources: { limits: {} } } }, /edge\.resources\.requests\.cpu/],
  [{ ...roles, edge: { replicas: 0 } }, /edge.*replicas/],
  [{ ...roles, database: { secretName: 'db', syncStandbys: -1 } }, /syncStandbys/],
]

for (const [values, sentence] of refusals)
  test(`${JSON.stringify(values)} is refused: ${sentence.source}`, async () => {
    await assert.rejects(template({ ...minimal, ...values }), ({ stderr }) => sentence.test(stderr))
  })

test('a missing origin or an unknown value is refused by a message that names it', async () => {
  await assert.rejects(template({}), ({ stderr }) => /write what callers see, such as --set origin=/.test(stderr))
  await assert.rejects(template({ ...minimal, orign: 'x' }), ({ stderr }) => /orign/.test(stderr))
})

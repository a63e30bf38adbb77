import assert from 'node:assert/strict'
import { parseAllDocuments } from 'yaml'

type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { key: string } } }
type Labels = Record<string, string>
type PodTemplate = {
  metadata: { labels: Labels }
  spec: {
    containers: { env: Variable[] }[]
    volumes: { name: string }[]
    terminationGracePeriodSeconds: number
  }
}
type Rule = { host: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }

/** The fields of a manifest that the tests read; each kind has some of them. */
export type Manifest = {
  kind: string
  metadata: { name: string }
  spec: { replicas?: number; template: PodTemplate; selector: Labels & { matchLabels?: Labels }; rules: Rule[] }
}

export const manifestsOf = (text: string): Manifest[] =>
  parseAllDocuments(text).map((each) => {
    assert.deepEqual(each.errors, [])
    return each.toJS() as Manifest
  })

export const podOf = (manifests: readonly Manifest[], kind: string, name: string): Manifest['spec'] => {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name)
  assert.ok(found, `${kind} ${name}`)
  return found.spec
}

/** The variables of the pod. `secrets`: the values of the keys in its Secrets. */
export const variablesOf = ({ template }: Manifest['spec'], secrets: Readonly<Labels> = {}) =>
  Object.fromEntries(
    template.spec.containers[0]!.env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom ? secrets[valueFrom.secretKeyRef.key] : value,
    ]),
  )

/** The Service for each path of each host. */
export const routesOf = (manifests: readonly Manifest[]) => {
  const { rules } = manifests.find(({ kind }) => kind === 'Ingress')!.spec
  return Object.fromEntries(
    rules.map(({ host, http }) => [
      host,
      Object.fromEntries(http.paths.map(({ path, backend }) => [path, backend.service.name])),
    ]),
  )
}

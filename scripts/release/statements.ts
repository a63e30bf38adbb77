/** A file of the release, with its digest. */
export type Subject = { name: string; sha256: string }

export type BuildFacts = {
  version: string
  /** The commit of the tag. */
  commit: string
  /** The SHA-256 of package-lock.json, which pins each package by hash. */
  lockSha256: string
  /** The version of Node that built it. */
  node: string
  startedOn: string
  finishedOn: string
}

/** The inputs of the build, as SLSA provenance (https://slsa.dev/spec/v1.0/provenance) in an in-toto statement. */
export const provenanceOf = (subjects: readonly Subject[], facts: BuildFacts) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'urn:aglet:release:v1',
      externalParameters: { version: facts.version },
      resolvedDependencies: [
        { uri: `git+tag:v${facts.version}`, digest: { gitCommit: facts.commit } },
        { uri: 'package-lock.json', digest: { sha256: facts.lockSha256 } },
        { uri: `pkg:generic/node@${facts.node}` },
      ],
    },
    runDetails: {
      builder: { id: 'urn:aglet:release:local' },
      metadata: { startedOn: facts.startedOn, finishedOn: facts.finishedOn },
    },
  },
})

/** A known vulnerability of a dependency that does not affect Aglet, and why. */
export type NotAffected = { vulnerability: string; product: string; justification: string; impact: string }

/** Findings that do not apply, as OpenVEX (https://github.com/openvex/spec). Undefined if there are none: a document needs a statement. */
export const vexOf = (version: string, notAffected: readonly NotAffected[], at: string) =>
  notAffected.length === 0
    ? undefined
    : {
        '@context': 'https://openvex.dev/ns/v0.2.0',
        '@id': `urn:aglet:vex:${version}`,
        author: 'The Aglet maintainers',
        timestamp: at,
        version: 1,
        statements: notAffected.map(({ vulnerability, product, justification, impact }) => ({
          vulnerability: { name: vulnerability },
          products: [{ '@id': `pkg:npm/aglet@${version}`, subcomponents: [{ '@id': product }] }],
          status: 'not_affected',
          justification,
          impact_statement: impact,
        })),
      }

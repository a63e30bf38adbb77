#!/usr/bin/env node
/**
 * The command `aglet`, for who links this checkout (`npm link`): what `npm run aglet` does, where the caller stands.
 * Plain CommonJS, so that an older Node of the machine runs it.
 */
const { spawn } = require('node:child_process')
const { realpathSync } = require('node:fs')
const { dirname, join } = require('node:path')

const root = dirname(dirname(realpathSync(__filename)))
require('./setup.cjs')

const child = spawn('sh', [join(root, 'scripts/aglet.sh'), ...process.argv.slice(2)], { stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code) => {
  process.exitCode = code ?? 1
})

#!/usr/bin/env node
// This file is plain JavaScript, so that an older Node, which can't run TypeScript, still prints which version Belfry needs.
const majorVersion = Number(process.versions.node.split('.')[0])

if (majorVersion < 26) {
  console.error(
    [
      `Belfry needs Node 26; this is Node ${process.versions.node}.`,
      process.platform === 'linux'
        ? 'On Linux, `npm ci` installs it. Run `npm ci`, then `npm start` or `npm run belfry -- <command>`.'
        : 'Install Node 26 (https://nodejs.org), then run `npm start` again.',
    ].join('\n'),
  )
  process.exit(1)
}

const { default: module } = await import('node:module')
// The cache spares later starts from stripping types and compiling, which saves about 0.3 s on a small machine.
module.enableCompileCache?.()

const { main } = await import('../src/main.ts')
process.exitCode = await main(process.argv.slice(2))

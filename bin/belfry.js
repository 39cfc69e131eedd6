#!/usr/bin/env node
// @ts-check
// This file and its static imports are plain JavaScript, so that an older Node can run them and start Belfry with Node 26.
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { enableCompileCache } from './compile-cache.js'
import { findMainModule, findPackagedNode, planLaunch } from './launch.js'
import { endWithParent, supervise } from './supervise.js'

const args = process.argv.slice(2)
const plan = planLaunch({
  version: process.versions.node,
  node: process.execPath,
  nodeArguments: process.execArgv,
  nodeOptions: process.env['NODE_OPTIONS'] ?? '',
  isRoot: process.geteuid?.() === 0,
  canReplace: typeof process.execve === 'function' && process.platform !== 'win32',
  packagedNode: findPackagedNode(),
  args,
})

switch (plan.kind) {
  case 'run': {
    endWithParent()
    // The cache spares later starts from compiling, which saves about 0.2 s on a small machine.
    enableCompileCache(tmpdir())
    const { main } = await import(pathToFileURL(findMainModule(dirname(import.meta.dirname))).href)
    process.exitCode = await main(args)
    break
  }
  case 'replace':
    process.execve?.(plan.node, [plan.node, ...plan.nodeArguments, import.meta.filename, ...args])
    break
  case 'supervise':
    supervise(plan.node, [...plan.nodeArguments, import.meta.filename, ...args])
    break
  case 'refuse':
    console.error(
      [
        `Belfry needs Node 26; this is Node ${process.versions.node}.`,
        process.platform === 'linux'
          ? 'On Linux, npm installs Node 26 with Belfry. Install Belfry again without --omit=optional, or install Node 26 (https://nodejs.org).'
          : 'Install Node 26 (https://nodejs.org), then start Belfry again.',
      ].join('\n'),
    )
    process.exit(1)
}

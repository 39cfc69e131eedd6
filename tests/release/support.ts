import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect } from 'vitest'
import type { Component } from '../../packaging/release/component.ts'
import { listComponents } from '../../packaging/release/components.ts'

export const root = resolve(import.meta.dirname, '../..')

let components: Promise<Component[]> | undefined

/** Builds pages and server first, if they are not up to date. */
export function loadComponents(): Promise<Component[]> {
  components ??= (() => {
    const args = ['scripts/prepare.js', '--strict']
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    return listComponents(root)
  })()
  return components
}

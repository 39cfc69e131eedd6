import { defineConfig } from 'vitest/config'
import { SlowestFilesReporter } from '../support/slowest-files.ts'
import { LongestInstallationFirst } from './support/sequencer.ts'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    globalSetup: ['support/global-setup.ts'],
    // An installation downloads packages and builds an image, which takes minutes on a busy machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Installations often wait for the network, the disk or a timer of systemd, so three at the same time keep two processors busy.
    maxWorkers: 3,
    sequence: { sequencer: LongestInstallationFirst },
    reporters: ['default', new SlowestFilesReporter()],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})

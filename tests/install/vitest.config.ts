import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    // An installation downloads packages and builds an image, which takes minutes on a busy machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // Each test measures how long its installation takes, so they run one after the other.
    fileParallelism: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})

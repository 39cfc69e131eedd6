import type { Command } from './command.ts'
import { serve } from './serve.ts'

export const commands: Command[] = [serve]

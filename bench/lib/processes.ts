import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU seconds that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export function residentBytes(pid: number): number {
  return field(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS')
}

/** Proportional set size of a process: shared pages are divided among processes, so the values can be summed. */
export function proportionalBytes(pid: number): number {
  return field(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss')
}

function field(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)![1]) * 1024
}

export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

export interface Started {
  pid: number
  port: number
  stop(): Promise<void>
}

/** Starts a program that prints the URL it listens on. */
export function start(file: string, args: string[], env: Record<string, string>): Promise<Started> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let text = ''
    child.on('exit', (code) => reject(new Error(`${file} ended with ${code}: ${text}`)))
    child.stdout!.on('data', (chunk) => {
      text += chunk
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
      if (match) resolve({ pid: child.pid!, port: Number(match[1]), stop: () => stop(child) })
    })
  })
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

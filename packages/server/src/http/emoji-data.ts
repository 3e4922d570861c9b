import { createHash } from 'node:crypto'
import { codeToNames } from '@parley/markdown/inline/emoji'
import type { FastifyReply, FastifyRequest } from 'fastify'

let data: { text: string; tag: string } | undefined

/** The names of the built-in emoji, the same for all users until the server is upgraded. */
export function answerEmojiData(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  data ??= emojiData()
  reply.headers({ ETag: data.tag, 'Cache-Control': 'public, max-age=86400' })
  if (request.headers['if-none-match'] === data.tag) return reply.code(304).send()
  return reply.type('application/json; charset=utf-8').send(data.text)
}

function emojiData() {
  const text = JSON.stringify({ code_to_names: codeToNames() })
  return { text, tag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
}

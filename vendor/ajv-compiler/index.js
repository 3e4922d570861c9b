/** Fastify asks for a compiler when it starts, and calls it only for routes that declare a schema. */
module.exports = () => () => {
  throw new Error('Parley does without the schema compilers of Fastify: see docs/dependencies.md')
}

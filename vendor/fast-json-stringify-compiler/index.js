throw new Error('Parley does without the schema compilers of Fastify: see docs/dependencies.md')

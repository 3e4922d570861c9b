/** What Fastify's own error responses are written with; Parley's error handler normally comes first. */
module.exports = class Serializer {
  static restoreFromState() {
    return new Serializer()
  }
  asString = (value) => JSON.stringify(String(value))
  asInteger = (value) => String(Math.trunc(value))
  asNumber = (value) => String(Number(value))
  asBoolean = (value) => String(Boolean(value))
}

// The process.

@main
enum SyncDaemon {
    static func main() {}
}

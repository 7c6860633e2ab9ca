// Certificates for tests: made with openssl for a.example and b.example, good until the year 2100.

/// PEM texts; nobody trusts them, and nothing is behind their keys.
enum TestCertificate {
    static let a = """
        -----BEGIN CERTIFICATE-----
        MIIBgDCCASWgAwIBAgIUIfbr8uG64J6EKW0lIwSNhA6orQQwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJYS5leGFtcGxlMCAXDTI2MTEyMjE3NTkxMVoYDzIxMDAxMDI1
        MTc1OTExWjAUMRIwEAYDVQQDDAlhLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAS0i4PXMoc84rB5UeyiOJr6wQsSEvzJUFxP3So/Jo8+bE7S3d/bb2/N
        ImeDYQbQMKReFixIoIrsNk1Dq/r6KhKqo1MwUTAdBgNVHQ4EFgQUGN4b90pYk/tY
        TURdM8L/BBCC14swHwYDVR0jBBgwFoAUGN4b90pYk/tYTURdM8L/BBCC14swDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA5FWLqmDB9nfG0siFOcJe
        bIIoZcqUhxcmJ6Uv7zR47kYCIQDzGDIA4vfF1tQtdE21JjtwkeuF+tg3Ngg9/Qi1
        K6nW6w==
        -----END CERTIFICATE-----

        """

    static let aKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN+GyizeZ2fyc01Z1
        ml5tvkjWzvE+ZVRdczAaE/bcNemhRANCAAS0i4PXMoc84rB5UeyiOJr6wQsSEvzJ
        UFxP3So/Jo8+bE7S3d/bb2/NImeDYQbQMKReFixIoIrsNk1Dq/r6KhKq
        -----END PRIVATE KEY-----

        """

    static let b = """
        -----BEGIN CERTIFICATE-----
        MIIBfzCCASWgAwIBAgIUHLwGeIE7oYWh8S74cOKb+OZhOhowCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJYi5leGFtcGxlMCAXDTI2MTEyMjE3NTkxMVoYDzIxMDEwMjAy
        MTc1OTExWjAUMRIwEAYDVQQDDAliLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAQF5R1c7uEDtQwPkg6Hp+F7BcHUwxxSz0ZlDbXIgL5hJqmMkO669ulb
        91FfRxb8X3yvSsuxpezPWH8UCTQHbh62o1MwUTAdBgNVHQ4EFgQUVaIShp5rvspq
        +YCIUASTIWMelA8wHwYDVR0jBBgwFoAUVaIShp5rvspq+YCIUASTIWMelA8wDwYD
        VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBxo+BsvIDQbxKWSnv3HOD+
        YdJJHrZG9QCTHgG1x9d0FAIhALHThUjyFXa6JlAShHCvdnW1BC+xypM/iHiHxDk0
        L5dM
        -----END CERTIFICATE-----

        """

    static let bKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQIAfOaKhAtFmtDwZ
        pYyWJtQezIXZu+UrVLSe3Gavej+hRANCAAQF5R1c7uEDtQwPkg6Hp+F7BcHUwxxS
        z0ZlDbXIgL5hJqmMkO669ulb91FfRxb8X3yvSsuxpezPWH8UCTQHbh62
        -----END PRIVATE KEY-----

        """

    /// With a password.
    static let lockedKey = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,D7CBE99A911B06BF5FEAE7B55F05C540

        3PG0MGJVRe0lOxjWVMQTyZ2l3JOepu9FqjMRgCgHus6feW8sEI3dVu9rpxkHasIc
        hMWDEfe9GkWLRzPuDHMPKB3zOYjgYbCnpuFmGVhDbVt9/QlxKzIhXUIaWRHau/5U
        3DsryY2bUpF4uzKZr+me3at491rbDIzryrrKEh/WyEM=
        -----END EC PRIVATE KEY-----
        """

    /// RSA of 1,024 bits.
    static let weak = """
        -----BEGIN CERTIFICATE-----
        MIICBjCCAW+gAwIBAgIUdOn+z1v5d6V7m76HebPG88TWRzMwDQYJKoZIhvcNAQEL
        BQAwFDESMBAGA1UEAwwJdy5leGFtcGxlMCAXDTI2MTEyMjE3NTkxMVoYDzIxMDAx
        MDI1MTc1OTExWjAUMRIwEAYDVQQDDAl3LmV4YW1wbGUwgZ8wDQYJKoZIhvcNAQEB
        BQADgY0AMIGJAoGBALNc67WPXEHBuKQKVR4LrqU9HyiOrhcRQiIEclSyQuQVZ3nc
        ESKUbZOevCYjDOHqRCksRX1rtqz1kOeC8Hbc8sknpcbW0F8XoAN7VsBHHLlL4+gX
        d68obo5RixBEO3nigeVoZp2RwmqVBf9tkijsQHv738uUEGRmZS8/9MXVY4ODAgMB
        AAGjUzBRMB0GA1UdDgQWBBRlWJbflg94qq9LvaJfv1DvjbYVBDAfBgNVHSMEGDAW
        gBRlWJbflg94qq9LvaJfv1DvjbYVBDAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3
        DQEBCwUAA4GBAI0RhtA1NRHfu1iYtchTPu254zWDhv6yOML67gRPzInsSqzdrPNm
        ZNNiHgLAe8C/kwTMIzzpb/PIFWhs6yuGKoy8F1nM1DJ1aOi+uWwt+nZjuyW5LJcI
        J77aU7qDrgcXiNIF1Oz8EvPVLLys4OvO73VrXWJq4Ea2DL3B5DXX78C8
        -----END CERTIFICATE-----
        """

    /// When they end, in seconds since 1970.
    static let expiries = (a: 4_128_170_351, b: 4_136_810_351)
}
